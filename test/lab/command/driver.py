"""Runs in a lab's guest, as root: what a person at a terminal and a script would do with the command `hermes`.

Usage: python3 - USER SCENARIO... < driver.py prints one line of JSON, the results by scenario. USER may use sudo. A
container of its own stands beside Hermes', so that it can be stopped and replaced.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.server
import json
import os
import pty
import pwd
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

HERMES = "hermes"
SECOND = "command-e2e"
FOLDER = Path("/tmp/command-e2e")
USER = sys.argv[1]
PATH = "/usr/local/bin:/usr/bin:/bin:/run/wrappers/bin:/run/current-system/sw/bin"
Result = dict[str, Any]
# Root makes users, which nobody else has on PATH.
os.environ["PATH"] = f"{PATH}:/usr/sbin:/sbin"


def environment(user: str, extra: dict[str, str]) -> dict[str, str]:
    return {"PATH": PATH, "HOME": pwd.getpwnam(user).pw_dir, "LANG": "C.UTF-8", "TERM": "xterm", **extra}


def become(user: str) -> Any:
    account = pwd.getpwnam(user)

    def change() -> None:
        os.initgroups(user, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)

    return change


def start(*arguments: str, user: str = USER, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        arguments, env=environment(user, env or {}), preexec_fn=become(user), start_new_session=True,
        stdin=options.pop("stdin", subprocess.PIPE), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=options.pop("cwd", "/"), **options,
    )


def run(*arguments: str, input: bytes = b"", timeout: float = 300, **options: Any) -> Result:
    begin = time.monotonic()
    process = start(*arguments, **options)
    out, err = process.communicate(input, timeout=timeout)
    seconds = round(time.monotonic() - begin, 2)
    return {"code": process.returncode, "out": out.decode(errors="replace"), "err": err.decode(errors="replace"), "seconds": seconds}


def podman(*arguments: str) -> str:
    done = subprocess.run(["podman", *arguments], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"podman {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def home(program: str, container: str = HERMES, owner: str = "owner=root\n", user: str = "hermes") -> dict[str, str]:
    """A HERMES_HOME whose metadata name a program of the image."""
    folder = FOLDER / hashlib.sha256(f"{program}{container}{owner}{user}".encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".container-mode").write_text(
        f"backend=podman\ncontainer_name={container}\nexec_user={user}\nhermes_bin={program}\n{owner}unit=hermes.service\n"
    )
    FOLDER.chmod(0o755)
    folder.chmod(0o755)
    return {"HERMES_HOME": str(folder)}


def second_container() -> None:
    image = podman("inspect", HERMES, "--format", "{{.ImageName}}").strip()
    podman("run", "--detach", "--replace", "--name", SECOND, "--network=none", "--entrypoint", "/bin/sleep", image, "infinity")


def starts(container: str, name: str) -> int:
    """How often a program has noted that it started."""
    return int(podman("exec", container, "sh", "-c", f"cat /tmp/{name} 2> /dev/null | wc -l"))


def sleepers() -> int:
    """Programs of these scenarios that still run in Hermes' container."""
    look = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file 2> /dev/null | grep -q 'time.slee[p](300)' && echo one; done | wc -l"
    return int(podman("exec", HERMES, "sh", "-c", look))


def left(seconds: float = 90) -> int:
    """What is still running when everything has had the time to end: a signal goes by an exec of its own."""
    deadline = time.monotonic() + seconds
    while (count := sleepers()) > 0 and time.monotonic() < deadline:
        time.sleep(1)
    return count


class Terminal:
    """The command on a terminal of its own, as SSH gives one."""

    def __init__(self, *arguments: str, env: dict[str, str], rows: int = 24, columns: int = 80, ninth: int | None = None) -> None:
        """`ninth` becomes file descriptor 9: dash knows none of two digits."""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if ninth is not None:
                os.dup2(ninth, 9)
            become(USER)()
            os.chdir("/")
            os.execvpe(arguments[0], arguments, environment(USER, env))
        self.text = b""
        self.resize(rows, columns)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, words: str, seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while words.encode() not in self.text and time.monotonic() < deadline:
            if select.select([self.fd], [], [], 0.2)[0] and not self._read():
                break
        return self.text.decode(errors="replace")

    def _read(self) -> bool:
        try:
            read = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += read
        return bool(read)

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def end(self, seconds: float = 60) -> int:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([self.fd], [], [], 0.2)[0]:
                self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return -1000


# ---------------------------------------------------------------- scenarios


def version() -> Result:
    """Through the user's own link and the metadata that the deploy wrote."""
    return {"command": run("hermes", "--version"), "raw": podman("exec", "--user", "hermes", HERMES, "/opt/hermes/bin/hermes", "--version")}


def shared_home() -> Result:
    account = pwd.getpwnam(USER)
    link = Path(account.pw_dir, ".hermes")
    podman("exec", "--user", "hermes", HERMES, "sh", "-c", "umask 022; mkdir -p /opt/data/e2e && echo x > /opt/data/e2e/file")
    written = run("sh", "-c", f"echo more >> {link}/e2e/file && echo new > {link}/e2e/other && cat {link}/e2e/file")
    inside = podman("exec", "--user", "hermes", HERMES, "sh", "-c", "cat /opt/data/e2e/other; rm -r /opt/data/e2e")
    top = os.stat(os.readlink(link))
    return {
        "link": os.readlink(link), "groups": run("id", "-nG")["out"].split(), "mode": oct(top.st_mode & 0o7777), "gid": top.st_gid,
        "written": written, "inside": inside,
    }


def environment_inside() -> Result:
    values = {"HERMES_E2E": "two words", "HERMES_LINES": "a\nb  ", "HERMES_DEV": "0", "SECRET": "x", "COLORTERM": "truecolor"}
    got = run("hermes", "-0", env={**values, **home("/usr/bin/env")})
    raw = podman("exec", "--user", "hermes", HERMES, "/usr/bin/env", "-0")
    parse = lambda text: dict(line.split("=", 1) for line in text.split("\0") if line)  # noqa: E731
    return {"got": parse(got["out"]), "raw": parse(raw), "err": got["err"], "code": got["code"]}


def arguments() -> Result:
    words = ["", "a b", "--help", "-x", "$(id)", "it's", '"', "new\nline", "*", "--", "é漢"]
    program = "import json,os,sys; print(json.dumps([sys.argv[1:], os.getcwd()]))"
    inside = run("hermes", "-c", program, *words, env=home("/usr/bin/python3"), cwd="/usr/share")
    elsewhere = run("hermes", "-c", program, env=home("/usr/bin/python3"), cwd=str(FOLDER))
    return {"words": words, "inside": json.loads(inside["out"]), "elsewhere": json.loads(elsewhere["out"]), "err": inside["err"]}


def without_sudo() -> Result:
    """A user who may not use sudo, and then one rule later."""
    user, rule = "command-e2e", Path("/etc/sudoers.d/command-e2e")
    subprocess.run(["useradd", "--create-home", user], check=False)
    rule.unlink(missing_ok=True)
    refused = run("hermes", "hello", user=user, env=home("/bin/echo"))
    unknown = run("hermes", "hello", user=user, env=home("/bin/echo", owner=""))
    line = next((line.strip() for line in refused["err"].splitlines() if "NOPASSWD" in line), "")
    rule.write_text(f"{line}\n")
    rule.chmod(0o440)
    allowed = run("hermes", "hello", user=user, env=home("/bin/echo"))
    probed = run("hermes", "hello", user=user, env=home("/bin/echo", owner=""))
    rule.unlink()
    subprocess.run(["userdel", "--remove", user], check=False, capture_output=True)
    return {"refused": refused, "unknown": unknown, "allowed": allowed, "probed": probed}


def exit_codes() -> Result:
    second_container()
    codes: Result = {}
    for code in (0, 1, 3, 125, 126, 127, 255):
        program = f"echo x >> /tmp/pipe-{code}; exit {code}"
        done = run("hermes", "-c", program, env=home("/bin/sh", SECOND, user="root"))
        terminal = Terminal("hermes", "-c", program.replace("pipe", "tty"), env=home("/bin/sh", SECOND, user="root"))
        codes[str(code)] = [done["code"], starts(SECOND, f"pipe-{code}"), done["err"], terminal.end(), starts(SECOND, f"tty-{code}")]
    return codes


def down() -> Result:
    second_container()
    podman("stop", "--time", "0", SECOND)
    stopped = run("hermes", "x", env=home("/bin/echo", SECOND, user="root"))
    terminal = Terminal("hermes", "x", env=home("/bin/echo", SECOND, user="root"))
    begin = time.monotonic()
    code = terminal.end()
    on_terminal = {"code": code, "text": terminal.text.decode(), "seconds": time.monotonic() - begin}
    threading.Timer(3, lambda: podman("start", SECOND)).start()
    comes_up = run("hermes", input=b"kept for later", env=home("/bin/cat", SECOND, user="root"))
    missing = run("hermes", "x", env=home("/bin/echo", SECOND, user="nobody-of-that-name"))
    podman("rm", "--force", "--time", "0", SECOND)
    absent = run("hermes", "x", env=home("/bin/echo", SECOND, user="root"))
    return {"stopped": stopped, "terminal": on_terminal, "comes_up": comes_up, "missing": missing, "absent": absent}


def replaced() -> Result:
    """The container goes while a program runs: killed, stopped or removed, on a terminal and off it."""
    results: Result = {}
    program = "echo started >> /out/count; echo running; sleep 300"
    FOLDER.mkdir(exist_ok=True)
    image = podman("inspect", HERMES, "--format", "{{.ImageName}}").strip()
    for way in (["kill", SECOND], ["stop", "--time", "1", SECOND], ["rm", "--force", "--time", "0", SECOND]):
        for kind in ("pipe", "tty"):
            out = FOLDER / f"out-{way[0]}-{kind}"
            out.mkdir(exist_ok=True)
            out.chmod(0o777)
            podman("run", "--detach", "--replace", "--name", SECOND, "--network=none", "--volume", f"{out}:/out",
                   "--entrypoint", "/bin/sleep", image, "infinity")
            env = home("/bin/sh", SECOND, user="root")
            begin = time.monotonic()
            if kind == "pipe":
                process = start("hermes", "-c", program, env=env)
                assert process.stdout
                process.stdout.readline()
                podman(*way)
                _, err = process.communicate(timeout=60)
                code, text = process.returncode, err.decode()
            else:
                terminal = Terminal("hermes", "-c", program, env=env)
                terminal.until("running")
                podman(*way)
                code = terminal.end()
                text = terminal.text.decode()
            count = (out / "count").read_text().count("started")
            results[f"{way[0]}-{kind}"] = {"code": code, "starts": count, "text": text, "seconds": round(time.monotonic() - begin, 1)}
    return results


TRAPS = """
import os, signal, sys, time
def say(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(40 + number)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
    signal.signal(number, say)
print("ready", flush=True)
time.sleep(300)
"""


def signals() -> Result:
    results: Result = {}
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        process = start("hermes", "-c", TRAPS, env=home("/usr/bin/python3"))
        assert process.stdout
        process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        results[number.name] = [process.returncode, out.decode().strip(), err.decode()]
    # Not caught: ended by the signal, here as there.
    process = start("hermes", "-c", "print('ready', flush=True); import time; time.sleep(300)", env=home("/usr/bin/python3"))
    assert process.stdout
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=60)
    results["default"] = process.returncode
    # Ctrl-C at a terminal whose output goes elsewhere reaches the whole foreground group.
    read, write = os.pipe()
    terminal = Terminal("sh", "-c", f"hermes -c '{TRAPS}' >&9", env=home("/usr/bin/python3"), ninth=write)
    os.close(write)
    got = b""
    while b"ready" not in got and (chunk := os.read(read, 100)):
        got += chunk
    terminal.type(b"\x03")
    results["ctrl-c to a pipe"] = [terminal.end(), os.read(read, 100).decode().strip()]
    results["left"] = left()
    return results


def terminal() -> Result:
    program = """
import os, shutil, signal, sys
print("terminal", sys.stdin.isatty(), sys.stdout.isatty(), os.environ["TERM"], flush=True)
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size(), flush=True))
print("first", *os.get_terminal_size(), flush=True)
try:
    while True: print("typed", input(), flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(9)
"""
    session = Terminal("hermes", "-c", program, env=home("/usr/bin/python3"), rows=30, columns=100)
    session.until("first")
    session.type(b"hello\r")
    session.until("typed hello")
    session.resize(50, 120)
    session.until("size 120 50", 20)
    # The keys at which podman would let go.
    session.type(b"\x10\x11still\r")
    session.until("still")
    session.type(b"\x03")
    code = session.end()
    return {"code": code, "text": session.text.decode(errors="replace")}


def terminal_gone() -> Result:
    """A dropped connection takes the terminal away: what ran there ends."""
    session = Terminal("hermes", "-c", "import time; print('ready', flush=True); time.sleep(300)", env=home("/usr/bin/python3"))
    session.until("ready")
    os.close(session.fd)
    return {"left": left()}


def stream() -> Result:
    size = 100 * 1024 * 1024
    data = os.urandom(1024 * 1024) * 100
    process = start("hermes", env=home("/bin/cat"))
    assert process.stdin and process.stdout
    digest, got = hashlib.sha256(), 0

    def feed() -> None:
        process.stdin.write(data)
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    while chunk := process.stdout.read(1024 * 1024):
        digest.update(chunk)
        got += len(chunk)
    feeder.join()
    return {"size": got, "expected": size, "same": digest.hexdigest() == hashlib.sha256(data).hexdigest(), "code": process.wait()}


def at_once() -> Result:
    # Written once: none may read what another is about to write.
    env = home("/bin/echo")
    processes = [start("hermes", f"number {number}", env=env) for number in range(10)]
    said = [[text.decode(errors="replace") for text in process.communicate(timeout=300)] for process in processes]
    return {"runs": [[process.returncode, *texts] for process, texts in zip(processes, said, strict=True)]}


def timed(*arguments: str, env: dict[str, str] | None = None) -> float:
    begin = time.monotonic()
    done = run(*arguments, env=env)
    if done["code"] != 0:
        raise RuntimeError(f"{arguments}: {done}")
    return time.monotonic() - begin


def speed() -> Result:
    """Of a program that does nothing, by metadata of the user's own. Alternating, so that both meet the same conditions."""
    env = home("/bin/true")
    shutil.chown(Path(env["HERMES_HOME"]) / ".container-mode", USER)
    return alternating(11, ["/bin/true"], ["hermes"], env)


def speed_of_version() -> Result:
    """Of the quickest subcommand, as it is deployed."""
    program = "/opt/hermes/bin/hermes"
    return alternating(9, [program, "--version"], ["hermes", "--version"], {})


def alternating(runs: int, program: list[str], command: list[str], env: dict[str, str]) -> Result:
    """Seconds of `runs` runs of each."""
    raw: list[float] = []
    ours: list[float] = []
    for _ in range(runs):
        raw.append(timed("sudo", "-n", "podman", "exec", "-i", "--user", "hermes", HERMES, *program))
        ours.append(timed(*command, env=env))
    return {"raw": raw, "command": ours}


class Model(http.server.BaseHTTPRequestHandler):
    """A stand-in for a model: says one sentence to whatever it is asked (OpenAI's chat completions, streamed or not)."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.answer("application/json", json.dumps({"object": "list", "data": [{"id": "stub-model", "object": "model"}]}))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        common = {"id": "x", "created": 0, "model": "stub-model"}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": "spoken by the stub"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.answer("application/json", json.dumps({**common, "object": "chat.completion", "choices": [choice], "usage": usage}))
            return
        deltas = [({"role": "assistant", "content": "spoken by the stub"}, None), ({}, "stop")]
        chunks = [{**common, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": d, "finish_reason": f}]} for d, f in deltas]
        self.answer("text/event-stream", "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n")

    def answer(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def sessions() -> Result:
    """A session of the command, and what the running dashboard knows of it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    config = Path("/var/lib/hermes/config.yaml")
    before = config.read_bytes() if config.exists() else None
    model = {"provider": "custom", "default": "stub-model", "base_url": url, "api_key": "none", "context_length": 200000}
    config.write_text(json.dumps({"model": model}))
    shutil.chown(config, 10000, 10000)
    try:
        said = run("hermes", "-z", "hello from the command", timeout=400)
        listed = run("hermes", "sessions", "list")
    finally:
        if before is None:
            config.unlink()
        else:
            config.write_bytes(before)
    dashboard = "http://127.0.0.1:9119"
    page = urllib.request.urlopen(f"{dashboard}/").read().decode()
    token = re.search(r'HERMES_SESSION_TOKEN[^"]*"([^"]+)"', page)
    request = urllib.request.Request(f"{dashboard}/api/sessions", headers={"X-Hermes-Session-Token": token[1] if token else ""})
    known = json.loads(urllib.request.urlopen(request).read())
    return {"said": said, "listed": listed, "known": known}


def reopened() -> Result:
    """Hermes closes its home at each save of credentials (secure_parent_dir)."""
    program = "from pathlib import Path; from hermes_cli import auth; auth._save_auth_store({}); import os; print(oct(os.stat('/opt/data').st_mode))"
    closed = podman("exec", "--user", "hermes", HERMES, "python3", "-c", program).strip()
    mode = lambda: oct(os.stat("/var/lib/hermes").st_mode & 0o7777)  # noqa: E731
    deadline = time.monotonic() + 60
    while mode() != "0o2770" and time.monotonic() < deadline:
        time.sleep(1)
    result = {"closed": closed, "mode": mode()}
    podman("exec", "--user", "hermes", HERMES, "rm", "/opt/data/auth.json")
    return result


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    results: Result = {}
    for name in sys.argv[2:]:
        results[name] = globals()[name]()
    subprocess.run(["podman", "rm", "--force", "--time", "0", SECOND], check=False, capture_output=True)
    print(json.dumps(results))


main()
