import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../content.ts";
import { readShell } from "./shell.ts";

/** Everything that is started, with what nested texts start; `?` for an unknown word. */
function started(text: string, depth = 0): string[] {
  const { commands = [], texts = [] } = readShell({ at: "script", text, format: "shell" });
  const own = commands.map(({ words }) =>
    words.map((word) => (word === UNKNOWN ? "?" : String(word))).join(" "),
  );
  const nested = texts
    .filter(({ format }) => format === "shell")
    .flatMap((each) => started(each.text, depth + 1));
  return [...own, ...nested];
}
const inBase64 = Buffer.from("tailscale funnel 443").toString("base64");

describe("a command is found however it is spelled", () => {
  test.each([
    `tailscale fun''nel 443`,
    `tailscale $'\\x66unnel' 443`,
    `tail\\scale "fun"nel 443`,
    `tailscale \\\n  funnel \\\n 443`,
    `t=funnel; tailscale $t 443`,
    `a=fun b=nel; tailscale "$a\${b}" 443`,
    `export P=443; t="funnel $P"; tailscale $t`,
    `"$(command -v tailscale)" funnel 443`,
    `$(which tailscale) funnel 443`,
    `$(echo tailscale) $(printf %s funnel) 443`,
    `x=\`echo funnel\`; tailscale $x 443`,
    `tailscale\${IFS}funnel\${IFS}443`,
    `tailscale {funnel,443}`,
    `IFS=,; x=tailscale,funnel,443; $x`,
    `a=(funnel 443); tailscale "\${a[@]}"`,
    `a=(funnel); a+=(443); tailscale "\${a[@]}"`,
    `set -- funnel 443; tailscale "$@"`,
    `set -- 443; set -- funnel "$@"; tailscale "$@"`,
    `x=Xfunnel; tailscale "\${x#X}" 443`,
    `x=FUNNEL; tailscale \${x,,} 443`,
    `n=t; t=funnel; tailscale \${!n} 443`,
    `tailscale \${X:-funnel} 443`,
    `: "\${T:=funnel}"; tailscale $T 443`,
    `for m in serve funnel; do tailscale $m 443; done`,
    `m=serve; [ "$public" ] && m=funnel; tailscale $m 443`,
    `ts() { tailscale "$@"; }; ts funnel 443`,
    `ts() { local m=$1; shift; tailscale "$m" "$@"; }; ts funnel 443`,
    `tailscale() { command tailscale "$@"; }; tailscale funnel 443`,
    `never() { tailscale funnel 443; }`,
    `alias t='tailscale funnel'\nt 443`,
    `eval "tail""scale funnel 443"`,
    `eval t=funnel; tailscale $t 443`,
    `if true; then tailscale funnel 443; fi`,
    `case $1 in on) tailscale funnel 443;; esac`,
    `while :; do (tailscale funnel 443 &); done`,
    `! { tailscale funnel 443; } | cat`,
    `[[ $(tailscale funnel 443) ]]`,
    `x=$((1 + $(tailscale funnel 443)))`,
    `cat <<EOF\n$(tailscale funnel 443)\nEOF`,
    `diff <(tailscale funnel 443) /x`,
    `sudo -E -u root -- tailscale funnel 443`,
    `sh -euc 'tailscale funnel 443'`,
    `sh -c "sh -c 'tailscale funnel 443'"`,
    `sh -c 'tailscale "$@"' sh funnel 443`,
    `t=funnel; export t; bash -lc 'tailscale $t 443'`,
    `t=funnel sh -c 'tailscale $t 443'`,
    `bash <<'EOF'\ntailscale funnel 443\nEOF`,
    `bash <<<'tailscale funnel 443'`,
    `bash <(echo tailscale funnel 443)`,
    `. /dev/stdin <<<'tailscale funnel 443'`,
    `echo 'tailscale funnel 443' | sudo sh`,
    `echo ${inBase64} | base64 -d | sh`,
    `base64 -d <<<${inBase64} | bash -s`,
    `bash -c "$(echo ${inBase64} | base64 --decode)"`,
    `{ echo set -e; echo tailscale funnel 443; } | sh`,
    `printf '%s %s 443\\n' tailscale funnel | bash`,
    `echo funnel 443 | xargs tailscale`,
    `ssh -p 22 root@host 'sudo bash -s' <<'EOF'\ntailscale funnel 443\nEOF`,
    `ssh host tailscale "funnel 443"`,
    `trap 'tailscale funnel 443' EXIT`,
    `echo 'tailscale funnel 443' > /opt/x; sh /opt/x`,
    `broken ) here\ntailscale funnel 443`,
    `tailscale funnel 443\r\n`,
  ])("%s", (text) => {
    expect(started(text)).toContain("tailscale funnel 443");
  });
});

describe("what only the running shell knows is unknown", () => {
  test.each([
    ["tailscale $1", "tailscale ?"],
    ["$X funnel", "? funnel"],
    ["/usr/bin/t*lscale funnel", "? funnel"],
    ["tailscale funne[l]", "tailscale ?"],
    ["read -r x; tailscale $x", "tailscale ?"],
    ["t=serve; read t; tailscale $t", "tailscale ?"],
    ["declare -n r=t; t=funnel; tailscale $r", "tailscale ?"],
    [`sh -c "tailscale funnel $PORT"`, "tailscale funnel ?"],
    [`sh -c "tailscale '$mode'"`, "tailscale ?"],
    ["a=$b; b=$a; tailscale $a", "tailscale ?"],
  ])("%s", (text, command) => {
    expect(started(text)).toContain(command);
  });

  test("substitutions too deep to be read are an unknown command", () => {
    expect(started(`${"echo $(".repeat(240)}tailscale ${"x".repeat(40_000)}${")".repeat(240)}`)).toContain(
      "?",
    );
  });

  test("a loop over more than sixteen words ends in an unknown one", () => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const found = started(`for x in ${words.join(" ")}; do tailscale $x; done`);
    expect(found).toHaveLength(17);
    expect(found).toContain("tailscale ?");
  });
});

describe("prose is no command", () => {
  test.each([
    `echo "tailscale funnel is off"`,
    `# tailscale funnel`,
    `printf 'tailscale funnel\\n'`,
    `grep 'tailscale funnel' /var/log/x`,
    `cat > /etc/motd <<EOF\ntailscale funnel\nEOF`,
    `x='tailscale funnel'`,
    `command -v tailscale funnel`,
  ])("%s", (text) => {
    expect(started(text).filter((command) => command.startsWith("tailscale"))).toEqual([]);
  });
});

describe("files that a script writes", () => {
  const files = (text: string) =>
    (readShell({ at: "script", text }).texts ?? []).map(({ path, text: body }) => [path, body]);
  test.each([
    [`cat >/etc/x <<'EOF'\nhi $X\nEOF`, "/etc/x", "hi $X\n"],
    [`sudo tee /etc/x >/dev/null <<EOF\nhi\nEOF`, "/etc/x", "hi\n"],
    [`echo hi | sudo tee -a /etc/x`, "/etc/x", "hi\n"],
    [`printf '%s\\n' a b > /etc/x`, "/etc/x", "a\nb\n"],
    [`echo a > /etc/x; echo b >> /etc/x`, "/etc/x", "a\nb\n"],
    [`{ echo a; echo b; } > /etc/x`, "/etc/x", "a\nb\n"],
    [`install -m 644 /dev/stdin /etc/x <<-EOF\n\thi\n\tEOF`, "/etc/x", "hi\n"],
    [`d=/etc; cat > "$d/x" <<EOF\nport $PORT\nEOF`, "/etc/x", "port $UNKNOWN\n"],
  ])("%s", (text, path, body) => {
    expect(files(text)).toEqual([[path, body]]);
  });
  test("a text that another language runs is a script", () => {
    const { texts } = readShell({ at: "script", text: "python3 - <<EOF\nimport os\nEOF" });
    expect(texts).toEqual([{ at: "script › line 1 › python3", text: "import os\n", format: "script" }]);
  });
});

test("assignments are settings, and those before a command are its environment", () => {
  const { settings, commands } = readShell({ at: "s", text: `A=b C=$X tailscale up; export D="e f"` });
  expect(settings).toEqual([
    { at: "s", path: ["A"], value: "b" },
    { at: "s", path: ["C"], value: UNKNOWN },
    { at: "s", path: ["D"], value: "e f" },
  ]);
  expect(commands?.[0]).toEqual({ at: "s", words: ["tailscale", "up"], environment: { A: "b", C: UNKNOWN } });
});

test("a command says what it reads and its line", () => {
  const { commands } = readShell({ at: "s", text: `\necho '{"a":1}' | tailscale serve set-config\n` });
  expect(commands?.[1]).toMatchObject({ at: "s › line 2", input: '{"a":1}\n' });
});

test("no text makes the reader throw or last", () => {
  const pieces = fc.constantFrom(
    ..."'|\"|`|$(|)|$\u007b|}|((|))|{a,|<<E\n|E\n|\n| |;|&&|||if|then|fi|for x in a b; do|done|f() {|f|a=|$a|\\|case|esac|eval |sh -c |[[|]]|<(|x|$@|\uE000".split(
      "|",
    ),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 60 }),
      (parts) => {
        const start = performance.now();
        readShell({ at: "s", text: parts.join("") });
        return performance.now() - start < 2000;
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["ordinary lines", "sudo tailscale serve --bg 443 && echo done || exit 1\n".repeat(19_000)],
  ["open substitutions", "$(".repeat(300_000)],
  ["open arithmetic", "$((".repeat(300_000)],
  ["open groups", "( ".repeat(300_000)],
  ["braces", `: ${"{a,b}".repeat(100_000)}`],
  ["variables that double", Array.from({ length: 200 }, (_, i) => `a${i + 1}=$a${i}$a${i}`).join("\n")],
  ["functions that call each other", 'f() { g "$@"; }; g() { f "$@"; f; }; f a\n'.repeat(10_000)],
  ["pipes", `echo x${" | cat".repeat(100_000)} | sh`],
])("hostile or just long: %s", (_what, text) => {
  readShell({ at: "s", text: "echo warm" });
  const start = performance.now();
  readShell({ at: "s", text });
  // About one second on an idle machine; tests share theirs.
  expect(performance.now() - start).toBeLessThan(10_000);
});
