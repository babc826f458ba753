# A type decides which values a definition may have and how several definitions of one option become one value.
{ lib }:
let
  inherit (builtins)
    all
    attrNames
    concatMap
    elem
    filter
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isPath
    isString
    length
    listToAttrs
    match
    ;

  # Several definitions must agree.
  single = description: check: {
    inherit description check;
    merge = lib.mergeEqual;
  };

  str = single "string" isString;
  package = single "package" lib.isDerivation;

  # The merged value in a list, empty when the conditions of all definitions are false.
  present =
    path: type: definitions:
    lib.optional (lib.effective definitions != [ ]) (
      lib.mergeOption path {
        inherit type;
        apply = value: value;
      } definitions
    );

  numbered =
    f: values:
    builtins.genList (index: f (index + 1) (builtins.elemAt values index)) (length values);
in
rec {
  inherit str package;
  bool = single "boolean" isBool;
  int = single "signed integer" isInt;
  port = single "16 bit unsigned integer; between 0 and 65535 (both inclusive)" (
    value: isInt value && value >= 0 && value <= 65535
  );
  ints = {
    positive = single "positive integer, meaning >0" (value: isInt value && value > 0);
    unsigned = single "unsigned integer, meaning >=0" (value: isInt value && value >= 0);
  };
  path = single "absolute path" (
    value: isPath value || (isString value && builtins.substring 0 1 value == "/")
  );
  nonEmptyStr = single "non-empty string" (
    value: isString value && match "[ \t\n]*" value == null
  );
  strMatching = pattern: single "string matching the pattern ${pattern}" (
    value: isString value && match pattern value != null
  );
  # One newline at the end is dropped, any other is refused.
  singleLineStr =
    single "(optionally newline-terminated) single-line string" (
      value: isString value && match "[^\r\n]*\n?" value != null
    )
    // {
      merge = path: definitions: lib.removeSuffix "\n" (lib.mergeEqual path definitions);
    };
  lines = {
    description = "strings concatenated with \"\\n\"";
    check = isString;
    merge = _: definitions: lib.concatMapStringsSep "\n" ({ value, ... }: value) definitions;
  };
  enum =
    values:
    single "one of ${lib.concatMapStringsSep ", " builtins.toJSON values}" (value: elem value values);

  nullOr = type: {
    description = "null or ${type.description}";
    check = value: value == null || type.check value;
    merge =
      path: definitions:
      let
        nulls = filter ({ value, ... }: value == null) definitions;
      in
      if nulls == [ ] then
        type.merge path definitions
      else if length nulls == length definitions then
        null
      else
        throw "The option `${lib.showOption path}' is defined both null and not null, in ${
          lib.concatMapStringsSep " and " ({ file, ... }: "`${file}'") definitions
        }.";
  };

  either = left: right: {
    description = "${left.description} or ${right.description}";
    check = value: left.check value || right.check value;
    merge =
      path: definitions:
      if all ({ value, ... }: left.check value) definitions then
        left.merge path definitions
      else if all ({ value, ... }: right.check value) definitions then
        right.merge path definitions
      else
        lib.mergeEqual path definitions;
  };
  oneOf = types: builtins.foldl' either (builtins.head types) (builtins.tail types);

  listOf = type: {
    description = "list of ${type.description}";
    check = isList;
    merge =
      path: definitions:
      builtins.concatLists (
        numbered (
          n:
          { file, value, ... }:
          builtins.concatLists (
            numbered (
              m: entry:
              present (path ++ [ "[definition ${toString n}-entry ${toString m}]" ]) type [
                {
                  inherit file;
                  value = entry;
                }
              ]
            ) value
          )
        ) definitions
      );
  };

  attrsOf = type: {
    description = "attribute set of ${type.description}";
    elementType = type;
    check = isAttrs;
    merge =
      path: definitions:
      let
        sets = concatMap (
          { file, value, ... }: map (value: { inherit file value; }) (lib.pushDown value)
        ) definitions;
        names = lib.unique (concatMap ({ value, ... }: attrNames value) sets);
        definitionsOf =
          name:
          concatMap (
            { file, value }:
            lib.optional (value ? ${name}) {
              inherit file;
              value = value.${name};
            }
          ) sets;
      in
      listToAttrs (
        concatMap (
          name: map (value: { inherit name value; }) (present (path ++ [ name ]) type (definitionsOf name))
        ) names
      );
  };

  submodule = module: {
    description = "submodule";
    check = value: isAttrs value || isFunction value || isPath value;
    merge =
      path: definitions:
      (lib.evalModules {
        modules = [
          module
        ]
        ++ map (
          { file, value, ... }:
          if isAttrs value then
            {
              _file = file;
              config = value;
            }
          else
            value
        ) definitions;
        specialArgs.name = builtins.elemAt path (length path - 1);
        prefix = path;
      }).config;
  };

  # A value of a systemd unit file. A key that some definition gives as a list may be repeated.
  unitOption =
    let
      atom = oneOf [
        bool
        int
        path
        package
        str
      ];
    in
    {
      description = "systemd option";
      check = value: atom.check value || (isList value && all atom.check value);
      merge =
        path: definitions:
        if builtins.any ({ value, ... }: isList value) definitions then
          concatMap ({ value, ... }: lib.toList value) definitions
        else
          lib.mergeEqual path definitions;
    };
}
