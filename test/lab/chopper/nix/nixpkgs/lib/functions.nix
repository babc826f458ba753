let
  inherit (builtins)
    attrNames
    concatStringsSep
    elem
    filter
    foldl'
    isList
    isString
    listToAttrs
    match
    readFile
    replaceStrings
    stringLength
    substring
    ;
in
rec {
  inherit (builtins)
    all
    any
    attrNames
    attrValues
    concatMap
    concatStringsSep
    elem
    filter
    head
    isAttrs
    isBool
    isInt
    isList
    isString
    length
    listToAttrs
    mapAttrs
    tail
    ;

  optional = condition: value: if condition then [ value ] else [ ];
  optionals = condition: values: if condition then values else [ ];
  optionalString = condition: text: if condition then text else "";
  optionalAttrs = condition: set: if condition then set else { };

  nameValuePair = name: value: { inherit name value; };
  mapAttrsToList = f: set: map (name: f name set.${name}) (attrNames set);
  mapAttrs' = f: set: listToAttrs (mapAttrsToList f set);
  filterAttrs =
    keep: set: removeAttrs set (filter (name: !(keep name set.${name})) (attrNames set));
  genAttrs = names: f: listToAttrs (map (name: nameValuePair name (f name)) names);

  toList = value: if isList value then value else [ value ];
  unique = foldl' (seen: value: if elem value seen then seen else seen ++ [ value ]) [ ];

  concatMapStrings = f: values: concatStringsSep "" (map f values);
  concatMapStringsSep = separator: f: values: concatStringsSep separator (map f values);
  concatLines = concatMapStrings (line: "${line}\n");
  hasPrefix = prefix: text: substring 0 (stringLength prefix) text == prefix;
  hasInfix = infix: text: replaceStrings [ infix ] [ "" ] text != text;
  boolToString = value: if value then "true" else "false";
  removeSuffix =
    suffix: text:
    let
      kept = stringLength text - stringLength suffix;
    in
    if kept >= 0 && substring kept (stringLength suffix) text == suffix then
      substring 0 kept text
    else
      text;
  fileContents = file: removeSuffix "\n" (readFile file);

  # Text of harmless characters stays as it is, as in nixpkgs; the container's command depends on it.
  escapeShellArg =
    value:
    let
      text = toString value;
    in
    if match "[[:alnum:],._+:@%/-]+" text == null then
      "'${replaceStrings [ "'" ] [ "'\\''" ] text}'"
    else
      text;
  escapeShellArgs = concatMapStringsSep " " escapeShellArg;

  getExe' = package: name: "${package}/bin/${name}";
  makeBinPath = packages: concatMapStringsSep ":" (package: "${package}/bin") packages;

  isDerivation = value: value.type or null == "derivation";
  warn = message: value: builtins.trace "evaluation warning: ${message}" value;
}
