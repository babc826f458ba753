"""Test doubles of the guest's commands: NOT systemd, podman or apt, only as much as hermes-guest uses.

They are strict (an argument that is not known here ends with 64 and is noted as refused), they keep their
state in one JSON file, and what a unit "runs" is the text of its file at the last daemon-reload before its
last start: so a test sees when a reload or a restart is missing. Called in process, or through PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGED = {"ssh.service"}


class Doubles:
    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.file = root, folder / "state.json"

    @property
    def state(self) -> dict[str, Any]:
        if self.file.exists():
            return dict(json.loads(self.file.read_text()))
        return {
            "calls": [],
            "refused": [],
            "loaded": {},
            "units": {unit: {"active": "active", "running": "", "pid": 1, "restarts": 0} for unit in PACKAGED},
            "enabled": [],
            "images": [],
            "packages": [],
            "faults": [],
        }

    def save(self, state: dict[str, Any]) -> None:
        self.file.write_text(json.dumps(state))

    def run(self, *command: str, timeout: float = 0) -> subprocess.CompletedProcess[str]:
        state = self.state
        state["calls"].append(" ".join(command))
        handler = getattr(self, command[0].replace("-", "_"), None)
        answer = handler(state, list(command[1:])) if handler else None
        if answer is None:
            state["refused"].append(" ".join(command))
            answer = (64, "", f"double: {' '.join(command)} is not known")
        self.save(state)
        return subprocess.CompletedProcess(command, *answer)

    def unit_files(self) -> dict[str, str]:
        found = {file.name: file for file in (self.root / "etc/systemd/system").glob("*.*")}
        found |= {f"{file.stem}.service": file for file in (self.root / "etc/containers/systemd").glob("*.container")}
        return {name: str(file) for name, file in found.items() if file.name[0] != "." and file.suffix != ".hermes-kept"}

    def systemctl(self, state: dict[str, Any], arguments: list[str]) -> tuple[int, str, str] | None:
        match arguments:
            case ["daemon-reload"]:
                state["loaded"] = {name: {"file": file, "text": Path(file).read_text()} for name, file in self.unit_files().items()}
            case ["show", unit, properties] if properties.startswith("--property="):
                return 0, self.show(state, unit), ""
            case ["reset-failed", unit]:
                if state["units"].get(unit, {}).get("active") == "failed":
                    state["units"][unit]["active"] = "inactive"
            case [("start" | "restart" | "try-restart") as verb, unit]:
                return self.start(state, verb, unit)
            case ["stop", unit]:
                state["units"].setdefault(unit, {"running": "", "pid": 0, "restarts": 0})["active"] = "inactive"
                state["units"][unit]["running"] = ""
            case ["enable", unit]:
                state["enabled"].append(unit)
            case ["disable", unit]:
                state["enabled"].remove(unit)
            case _:
                return None
        return 0, "", ""

    def show(self, state: dict[str, Any], unit: str) -> str:
        loaded, now = state["loaded"].get(unit), state["units"].get(unit, {})
        if now.get("active") == "active" and "crash-loop" in now["running"]:
            now["restarts"] += 1
            now["pid"] += 1
        quadlet = bool(loaded) and loaded["file"].endswith(".container")
        fragment = f"/usr/lib/systemd/system/{unit}" if unit in PACKAGED else loaded["file"] if loaded and not quadlet else ""
        values = {
            "LoadState": "loaded" if loaded or unit in PACKAGED else "not-found",
            "ActiveState": now.get("active", "inactive"),
            "SubState": "running",
            "Result": "exit-code" if now.get("active") == "failed" else "success",
            "MainPID": now.get("pid", 0),
            "NRestarts": now.get("restarts", 0),
            "UnitFileState": "generated" if quadlet else "enabled" if unit in state["enabled"] else "disabled",
            "FragmentPath": fragment,
            "SourcePath": loaded["file"] if loaded and quadlet else "",
        }
        return "".join(f"{key}={value}\n" for key, value in values.items())

    def start(self, state: dict[str, Any], verb: str, unit: str) -> tuple[int, str, str]:
        now = state["units"].setdefault(unit, {"active": "inactive", "running": "", "pid": 0, "restarts": 0})
        if unit not in state["loaded"] and unit not in PACKAGED:
            return 5, "", f"Failed to {verb} {unit}: Unit {unit} not found."
        if (verb == "start" and now["active"] == "active") or (verb == "try-restart" and now["active"] != "active"):
            return 0, "", ""
        now |= {"running": state["loaded"].get(unit, {}).get("text", ""), "pid": now["pid"] + 10, "restarts": 0, "active": "active"}
        if "exec-fails" in now["running"]:
            now["active"] = "failed"
        if "start-fails" in now["running"] or f"start {unit}" in state["faults"]:
            now["active"] = "failed"
            return 1, "", f"Job for {unit} failed because the control process exited with error code."
        return 0, "", ""

    def podman(self, state: dict[str, Any], arguments: list[str]) -> tuple[int, str, str] | None:
        match arguments:
            case ["image", "exists", image]:
                return (0 if image in state["images"] else 1), "", ""
            case ["pull", "--quiet", image]:
                if "absent" in image:
                    return 125, "", f"Trying to pull {image}...\nError: reading manifest: manifest unknown\n"
                state["images"].append(image)
                return 0, "sha256:feed\n", ""
            case ["image", "rm", "--ignore", image] if not image.startswith("-"):
                # As podman does: an absent image is fine, one that a container uses is not.
                if any(f"Image={image}" in unit["running"].splitlines() for unit in state["units"].values()) or f"rm {image}" in state["faults"]:
                    return 2, "", f"Error: image used by 7ab2: image is in use by a container: consider listing external containers: {image}\n"
                state["images"] = [known for known in state["images"] if known != image]
                return 0, "", ""
            case ["ps", "--filter", label, "--format", "json"]:
                unit = label.removeprefix("label=PODMAN_SYSTEMD_UNIT=")
                lines = state["units"].get(unit, {}).get("running", "").splitlines()
                images = [line.removeprefix("Image=") for line in lines if line.startswith("Image=")]
                return 0, json.dumps([{"Image": image, "ImageID": "feed"} for image in images]), ""
        return None

    def dpkg_query(self, state: dict[str, Any], arguments: list[str]) -> tuple[int, str, str] | None:
        match arguments:
            case ["-W", "-f", "${db:Status-Status}", package]:
                known = package in state["packages"]
                return (0, "installed", "") if known else (1, "", f"dpkg-query: no packages found matching {package}\n")
        return None

    def apt_get(self, state: dict[str, Any], arguments: list[str]) -> tuple[int, str, str] | None:
        match arguments:
            case ["-q", "-y", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Options::=--force-confold", *verb]:
                if verb == ["update"]:
                    return 0, "", ""
                if verb[:2] == ["install", "--no-install-recommends"] and "absent" in verb:
                    return 100, "", "E: Unable to locate package absent\n"
                if verb[:2] == ["install", "--no-install-recommends"]:
                    state["packages"] += verb[2:]
                    return 0, "", ""
        return None

    def journalctl(self, state: dict[str, Any], arguments: list[str]) -> tuple[int, str, str] | None:
        match arguments:
            case ["-u", unit, "-n", "200", "--no-pager", "-o", "cat"]:
                event = "2026-11-29 17:27:22.411035211 +0000 UTC m=+4.265996973 container died 7ab2 (image=hermes:v1)"
                return 0, "\n".join([*(f"line {i}" for i in range(40)), f"the last words of {unit}", event, ""]), ""
        return None


if __name__ == "__main__":
    result = Doubles(Path(os.environ["DOUBLES_ROOT"]), Path(os.environ["DOUBLES_STATE"])).run(Path(sys.argv[1]).name, *sys.argv[2:])
    sys.stdout.write(result.stdout)
    sys.stderr.write(result.stderr)
    sys.exit(result.returncode)
