import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
const acl = (props: object): Resources => [
  { type: "tailscale:index/acl:Acl", props: { acl: '{"grants": []}', ...props } },
];
const command = (create: string): Resources => [{ type: "command:local:Command", props: { create } }];
const named = (texts: readonly string[]): Case[] =>
  texts.map((text) => ({ title: `the command ${JSON.stringify(text)}`, resources: command(text) }));

const URL = "https://api.tailscale.com/api/v2/tailnet/-/acl";

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a policy that leaves what is there", resources: acl({}) },
    {
      title: "a policy that says so",
      resources: acl({ overwriteExistingContent: false, resetAclOnDestroy: "false" }),
    },
    {
      title: "a choice that is not known yet",
      resources: acl({ overwriteExistingContent: unknown, resetAclOnDestroy: unknown }),
    },
    {
      title: "another type of resource",
      resources: [{ type: "x:y:Z", props: { overwriteExistingContent: true } }],
    },
    {
      title: "a request in a unit, to where a variable says",
      resources: [
        {
          type: "command:remote:Command",
          props: {
            create: "tee /etc/systemd/system/x.service",
            stdin: "[Service]\nExecStart=/usr/bin/curl -d @/policy $URL\n",
          },
        },
      ],
    },
    ...[0, "f", {}, "xtrue", "truex"].map((value) => ({
      title: `the choice ${JSON.stringify(value)}`,
      resources: acl({ overwriteExistingContent: value }),
    })),
    ...named([
      'curl -X POST -d @x "$API/tailnet/-/keys"',
      'curl -X POST -d @x "$API/tailnet/-/acl/validate"',
      'curl -X POST -d @x "$API/tailnet/-/aclx"',
      'curl "$API/tailnet/-/acl"; curl -X POST -d @x http://example.com/x -H "X: $Y"',
      'curl "$API/tailnet/-/acl"; curl -X POST -d @x https://example.com/x -H "X: $Y"',
      'curl -X POST -d @x -H "If-Match: $etag" "$API/tailnet/-/acl"',
      `curl -u "$KEY:" ${URL}`,
      `curl -H 'If-Match: "abc"' -d @policy ${URL}`,
      `curl -X POST -H "If-Match: $etag" -d @policy ${URL}`,
      `curl -H 'if-match:"abc"' -d @policy ${URL}`,
      `curl -X POST -d @policy ${URL}/validate`,
      `curl -X POST -d @policy ${URL}/preview?type=user`,
      `curl -X GET -d @x ${URL}`,
      `curl -X POST -d @x https://api.tailscale.com/api/v2/tailnet/-/keys`,
      `curl -X POST -d @x https://example.com/acl`,
      `echo curl -X POST ${URL}`,
      'curl -X POST "$URL"',
      `curl -XGET -d x ${URL}`,
      `curl --request=HEAD -d x ${URL}`,
      `curl -X head ${URL}`,
      `curl -H 'a-XPOST: b' ${URL}`,
      `curl -H 'x-d: b' ${URL}`,
      `curl -H 'a--request=POST' ${URL}`,
      `curl -H 'a=b' ${URL}`,
      `echo x | curl ${URL}`,
      `not-curl -d x ${URL}`,
      `curly -d x ${URL}`,
      `http ${URL}`,
      `http ${URL}?details=1`,
      `http ${URL} details==1 Authorization:x`,
      `http GET ${URL} a=b`,
      `http HEAD ${URL} a=b`,
      `http GET ${URL}`,
      `wget -O policy ${URL}`,
    ]),
  ],
  refuses: [
    {
      title: "a policy that overwrites",
      resources: acl({ overwriteExistingContent: true }),
      says: [
        "it: overwriteExistingContent is true, which overwrites what is in the file.",
        "add only your own entries",
      ],
    },
    {
      title: "a policy that resets",
      resources: acl({ resetAclOnDestroy: true }),
      says: ["resetAclOnDestroy is true, which empties the file on destroy"],
    },
    { title: "a choice as text", resources: acl({ overwriteExistingContent: "true" }) },
    { title: "a secret choice", resources: acl({ overwriteExistingContent: secret(true) }) },
    {
      title: "a choice beside unknown values",
      resources: acl({ acl: unknown, resetAclOnDestroy: unknown, overwriteExistingContent: true }),
    },
    {
      title: "a request, with the words",
      resources: command(`sudo curl -d @policy ${URL}`),
      says: [
        `curl -d @policy ${URL}`,
        "writes the whole policy file over whatever is there. Send If-Match with the ETag",
      ],
    },
    ...[1, "1", "TRUE", "t"].map((value) => ({
      title: `the choice ${JSON.stringify(value)}`,
      resources: acl({ overwriteExistingContent: value }),
    })),
    ...named([
      `curl -X POST -d @policy ${URL}/`,
      `curl -X POST -d @policy ${URL}/?details=1`,
      'curl -X POST -d @policy "$API/tailnet/-/acl"',
      'curl -X POST -d @policy -H "Referer: https://x" "$API/tailnet/-/acl"',
      "curl -X POST -d @policy $API/tailnet/example.com/acl/",
      `curl -X POST -u "$KEY:" --data-binary @policy ${URL}`,
      `curl -sXPOST ${URL}`,
      `curl --request=POST ${URL}?details=1`,
      `curl -X "$METHOD" ${URL}`,
      `curl -H 'If-Match: *' -d @policy ${URL}`,
      `curl -H 'If-Match:' -d @policy ${URL}`,
      `curl -d @policy ${URL}#x`,
      `curl -d @policy ${URL.replace("acl", "%61cl")}`,
      `wget --post-file=policy ${URL}`,
      `wget --method POST --body-file=policy ${URL}`,
      ...["http", "https", "xh", "xhs"].flatMap((client) => [
        ...["abc=d", "grants:=[]", "acl@policy"].map((item) => `${client} ${URL} ${item}`),
        `echo '{}' | ${client} ${URL}`,
      ]),
      ...["POST", "PUT", "PATCH", "DELETE", "post"].map((method) => `http ${method} ${URL}`),
      ...["--data", "--json", "--upload-file", "--form", "--post-data", "--body-data", "--raw", "-sd"].map(
        (option) => `curl ${option} x ${URL}`,
      ),
      `curl -F a=b ${URL}`,
      `curl -X GET -X POST ${URL}`,
      `curl -X FORGET ${URL}`,
      `curl --request FORGET ${URL}`,
      `curl -X HEADLESS ${URL}`,
      `wget2 --method=PUT ${URL}`,
      `xh ${URL} < policy || echo '{}' | xh ${URL}`,
      `curl -T policy https://api.tailscale.com/api/v2/tailnet/example.com/acl`,
      `if curl -fsS ${URL}; then curl -XPOST ${URL}; fi`,
    ]),
    {
      title: "a request beside a script that names a version",
      resources: [
        {
          type: "command:local:Command",
          props: {
            create: `curl -H "If-Match: $etag" -d @policy ${URL}`,
            update: `curl -H "X: $Y" -d @policy ${URL}`,
          },
        },
      ],
    },
    {
      title: "a request below a comment that names a version",
      resources: command(`# If-Match: "abc"\ncurl -d @policy ${URL}`),
    },
    {
      title: "a request in a unit",
      resources: [
        {
          type: "command:remote:Command",
          props: {
            create: "tee /etc/systemd/system/x.service",
            stdin: `[Service]\nExecStart=/usr/bin/curl -d @/policy ${URL}\n`,
          },
        },
      ],
    },
  ],
};
