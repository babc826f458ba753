#!/usr/bin/python3 -IS
"""PID 1 of the lab's Hermes image.

Stands in for the s6-overlay of the official image, with the behaviour that a launch relies on: it starts as
root, gives the data directory to the user hermes (remapped by HERMES_UID and HERMES_GID), starts the
dashboard when HERMES_DASHBOARD=1, runs the command, passes SIGTERM on, and ends with the command's status.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time

HERMES = "/opt/hermes/bin/hermes"
DATA = os.environ.get("HERMES_HOME", "/opt/data")
STOP_SECONDS = 8

# A Popen that nobody holds reaps its child when it is collected, and main() would never see the status.
started: list[subprocess.Popen[bytes]] = []


def say(text: str) -> None:
    print(f"lab init (stands in for s6-overlay): {text}", file=sys.stderr, flush=True)


def replace_ids(path: str, uid_and_gid: list[str]) -> None:
    """Rewrites the numbers of the line `hermes:…` in /etc/passwd or /etc/group."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(":") for line in file]
    for fields in lines:
        if fields[0] == "hermes":
            fields[2 : 2 + len(uid_and_gid)] = uid_and_gid
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(":".join(fields) + "\n" for fields in lines)


def remap(user: pwd.struct_passwd) -> pwd.struct_passwd:
    uid, gid = (os.environ.get(name) or str(default) for name, default in
                (("HERMES_UID", user.pw_uid), ("HERMES_GID", user.pw_gid)))
    for name, value in (("HERMES_UID", uid), ("HERMES_GID", gid)):
        if not value.isdecimal() or value == "0":
            sys.exit(f"{name}={value} is not allowed: give a number above 0, or leave it out for 10000")
    if (int(uid), int(gid)) != (user.pw_uid, user.pw_gid):
        replace_ids("/etc/passwd", [uid, gid])
        replace_ids("/etc/group", [gid])
    return pwd.getpwnam("hermes")


def own_data(user: pwd.struct_passwd) -> None:
    """The whole tree is given away only when its top is not: a large volume starts fast the next time."""
    os.makedirs(DATA, exist_ok=True)
    if os.stat(DATA).st_uid == user.pw_uid:
        return
    say(f"giving {DATA} to uid {user.pw_uid}")
    for folder, _, files in os.walk(DATA, topdown=False):
        for name in files:
            os.lchown(os.path.join(folder, name), user.pw_uid, user.pw_gid)
        os.lchown(folder, user.pw_uid, user.pw_gid)


def spawn(arguments: list[str], user: pwd.struct_passwd) -> int:
    environment = {**os.environ, "HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
    groups = os.getgrouplist(user.pw_name, user.pw_gid)
    process = subprocess.Popen(
        arguments, cwd=DATA, env=environment, user=user.pw_uid, group=user.pw_gid, extra_groups=groups
    )
    started.append(process)
    return process.pid


def dashboard_arguments() -> list[str] | None:
    if os.environ.get("HERMES_DASHBOARD") not in ("1", "true", "yes"):
        return None
    host = os.environ.get("HERMES_DASHBOARD_HOST", "127.0.0.1")
    port = os.environ.get("HERMES_DASHBOARD_PORT", "9119")
    return [HERMES, "dashboard", "--no-open", "--skip-build", "--host", host, "--port", port]


def main() -> int:
    command = sys.argv[1:]
    if not (command and shutil.which(command[0])):
        command = [HERMES, *command]
    user = remap(pwd.getpwnam("hermes"))
    own_data(user)
    os.umask(0o022)

    dashboard = dashboard_arguments()
    dashboard_pid = spawn(dashboard, user) if dashboard else 0
    command_pid = spawn(command, user)
    stopping = False

    def stop(number: int, _frame: object) -> None:
        nonlocal stopping
        stopping = True
        for pid in filter(None, (command_pid, dashboard_pid)):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def start_dashboard_again(_number: int, _frame: object) -> None:
        nonlocal dashboard_pid
        if dashboard and not stopping:
            dashboard_pid = spawn(dashboard, user)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, start_dashboard_again)

    pause = 1
    while True:
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        if pid == command_pid:
            break
        if pid == dashboard_pid and not stopping:
            dashboard_pid = 0
            say(f"the dashboard ended with status {code}; starting it again in {pause} s")
            signal.alarm(pause)
            pause = min(30, pause * 2)

    signal.alarm(0)
    end_rest(dashboard_pid)
    return code if code >= 0 else 128 - code


def end_rest(pid: int) -> None:
    """Gives the dashboard time to end; as PID 1, whatever else is left goes with the container."""
    if not pid:
        return
    try:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                return
            time.sleep(0.1)
    except (ProcessLookupError, ChildProcessError):
        return


if __name__ == "__main__":
    sys.exit(main())
