# A small module system: options declared once, definitions merged by their types, everything else refused.
{ lib }:
let
  inherit (builtins)
    attrNames
    concatMap
    concatStringsSep
    elem
    filter
    foldl'
    head
    isAttrs
    isFunction
    isPath
    isString
    mapAttrs
    match
    ;

  mkIf = condition: content: {
    _type = "if";
    inherit condition content;
  };
  mkMerge = contents: {
    _type = "merge";
    inherit contents;
  };
  mkOverride = priority: content: {
    _type = "override";
    inherit priority content;
  };
  normal = 100;

  mkOption =
    {
      type,
      description ? null,
      example ? null,
      apply ? (value: value),
      # Also `default`, which may be absent.
      ...
    }@option:
    option
    // {
      _type = "option";
      inherit apply;
    };
  isOption = value: value._type or null == "option";

  # A segment that is not a plain name is quoted, as in the messages of NixOS.
  showOption =
    path:
    concatStringsSep "." (
      map (name: if match "[a-zA-Z_*<>-][a-zA-Z0-9_*'<>-]*" name == null then ''"${name}"'' else name) path
    );

  show =
    value:
    if isFunction value then
      "<function>"
    else if isAttrs value then
      "{ ${concatStringsSep ", " (attrNames value)} }"
    else if builtins.isList value then
      "[ ${concatStringsSep " " (map show value)} ]"
    else if isPath value then
      toString value
    else
      builtins.toJSON value;
  showDefinitions =
    definitions:
    "Definition values:" + lib.concatMapStrings ({ file, value, ... }: "\n- In `${file}': ${show value}") definitions;

  # Conditions and priorities of a set move down to its attributes, so that the names are known before any condition
  # is evaluated.
  pushDown =
    value:
    if !(isAttrs value) then
      [ value ]
    else if value._type or null == "if" then
      map (mapAttrs (_: mkIf value.condition)) (pushDown value.content)
    else if value._type or null == "merge" then
      concatMap pushDown value.contents
    else if value._type or null == "override" then
      map (mapAttrs (_: mkOverride value.priority)) (pushDown value.content)
    else
      [ value ];

  # A definition with its conditions decided: none, one or several of them, each with a priority.
  discharge =
    definition:
    let
      inherit (definition) value;
      kind = if isAttrs value then value._type or null else null;
      inner = content: discharge (definition // { value = content; });
    in
    if kind == "if" then
      lib.optionals value.condition (inner value.content)
    else if kind == "merge" then
      concatMap inner value.contents
    else if kind == "override" then
      map (found: found // { inherit (value) priority; }) (inner value.content)
    else
      [ ({ priority = normal; } // definition) ];

  # The definitions that count: those of the smallest priority number.
  effective =
    definitions:
    let
      decided = concatMap discharge definitions;
      best = foldl' (least: { priority, ... }: if priority < least then priority else least) 9999 decided;
    in
    filter ({ priority, ... }: priority == best) decided;

  mergeChecked =
    path: type: definitions:
    let
      wrong = filter ({ value, ... }: !(type.check value)) definitions;
    in
    if wrong != [ ] then
      throw "A definition for option `${showOption path}' is not of type `${type.description}'. ${showDefinitions wrong}"
    else
      type.merge path definitions;

  mergeEqual =
    path: definitions:
    let
      first = head definitions;
    in
    if builtins.all ({ value, ... }: value == first.value) definitions then
      first.value
    else
      throw "The option `${showOption path}' has conflicting definition values: ${showDefinitions definitions}";

  mergeOption =
    path: option: definitions:
    let
      found = effective (
        definitions
        ++ lib.optional (option ? default) {
          file = "the default";
          value = mkOverride 1500 option.default;
        }
      );
    in
    if found == [ ] then
      throw "The option `${showOption path}' was accessed but has no value defined. Try setting the option."
    else
      option.apply (mergeChecked path option.type found);

  # All options below `path`: their values, and the definitions that belong to none.
  mergeLevel =
    path: options: definitions:
    let
      pushed = concatMap (
        { file, value }: map (value: { inherit file value; }) (pushDown value)
      ) definitions;
      sets = map (
        { file, value }@definition:
        if isAttrs value then
          definition
        else
          throw "The option `${showOption path}' is a set of options, not a value. ${showDefinitions [ definition ]}"
      ) pushed;
      definitionsOf =
        name:
        concatMap (
          { file, value }:
          lib.optional (value ? ${name}) {
            inherit file;
            value = value.${name};
          }
        ) sets;
      names = lib.unique (concatMap ({ value, ... }: attrNames value) sets);
      levels = mapAttrs (name: below: mergeLevel (path ++ [ name ]) below (definitionsOf name)) (
        lib.filterAttrs (_: option: !(isOption option)) options
      );
    in
    {
      values = mapAttrs (
        name: option:
        if isOption option then
          mergeOption (path ++ [ name ]) option (definitionsOf name)
        else
          levels.${name}.values
      ) options;
      unknown =
        map (name: {
          inherit name;
          path = path ++ [ name ];
          definitions = definitionsOf name;
        }) (filter (name: !(options ? ${name})) names)
        ++ concatMap (name: levels.${name}.unknown) (attrNames levels);
    };

  mergeDeclarations =
    path: left: right:
    foldl' (
      all: name:
      all
      // {
        ${name} =
          if !(all ? ${name}) then
            right.${name}
          else if isOption all.${name} || isOption right.${name} then
            throw "The option `${showOption (path ++ [ name ])}' is already declared."
          else
            mergeDeclarations (path ++ [ name ]) all.${name} right.${name};
      }
    ) left (attrNames right);

  keywords = [
    "_file"
    "key"
    "imports"
    "options"
    "config"
    "freeformType"
  ];

  # A module and all that it imports, each as { key, file, options, config, freeform }.
  load =
    arguments: parent: module:
    let
      isFile = isPath module || (isString module && lib.hasPrefix "/" module);
      content = if isFile then import module else module;
      set = if isFunction content then content arguments else content;
      file = set._file or (if isFile then toString module else parent);
      isLong = set ? options || set ? config;
      stray = filter (name: !(elem name keywords)) (attrNames set);
    in
    if !(isAttrs set) then
      throw "Module `${file}' is neither a set nor a function that returns one."
    else if isLong && stray != [ ] then
      throw "Module `${file}' has an unsupported attribute `${head stray}'. This is caused by introducing a top-level `config' or `options' attribute. Add configuration attributes immediately on the top level instead, or move all of them into the explicit `config' attribute."
    else
      [
        {
          key = if isFile then toString module else null;
          inherit file;
          options = set.options or { };
          config = if isLong then set.config or { } else removeAttrs set keywords;
          freeform = lib.optional (set ? freeformType) set.freeformType;
        }
      ]
      ++ concatMap (load arguments file) (set.imports or [ ]);

  # A file that is imported twice counts once.
  onlyOnce = foldl' (
    kept: module:
    if module.key != null && builtins.any ({ key, ... }: key == module.key) kept then
      kept
    else
      kept ++ [ module ]
  ) [ ];

  evalModules =
    {
      modules,
      specialArgs ? { },
      prefix ? [ ],
    }:
    let
      arguments = { inherit lib; } // specialArgs // { config = values; };
      loaded = onlyOnce (concatMap (load arguments "<unknown-file>") modules);
      options = foldl' (mergeDeclarations prefix) { } (map (module: module.options) loaded);
      merged = mergeLevel prefix options (
        map (
          { file, config, ... }:
          {
            inherit file;
            value = config;
          }
        ) loaded
      );
      freeform = concatMap (module: module.freeform) loaded;
      isFree = { path, ... }: freeform != [ ] && builtins.length path == builtins.length prefix + 1;
      free = builtins.listToAttrs (
        map (
          { name, path, definitions }:
          {
            inherit name;
            value = mergeOption path (mkOption { type = (head freeform).elementType; }) definitions;
          }
        ) (filter isFree merged.unknown)
      );
      values = merged.values // free;
      refused = filter (unknown: !(isFree unknown)) merged.unknown;
    in
    {
      inherit options;
      config =
        if refused == [ ] then
          values
        else
          throw "The option `${showOption (head refused).path}' does not exist. ${showDefinitions (head refused).definitions}";
    };
in
{
  inherit
    effective
    evalModules
    mergeEqual
    mergeOption
    mkIf
    mkMerge
    mkOption
    mkOverride
    pushDown
    showOption
    ;
  mkDefault = mkOverride 1000;
  mkForce = mkOverride 50;
  mkEnableOption =
    name:
    mkOption {
      type = lib.types.bool;
      default = false;
      description = "Whether to enable ${name}.";
    };
}
