"""Tests of hermes-guest against a directory that stands for / and against doubles of the guest's commands."""

from __future__ import annotations

import grp
import http.server
import importlib.machinery
import importlib.util
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from doubles import Doubles


def load() -> Any:
    loader = importlib.machinery.SourceFileLoader("hermes_guest", str(HERE / "hermes-guest"))
    spec = importlib.util.spec_from_loader("hermes_guest", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hermes_guest"] = module
    loader.exec_module(module)
    return module


guest_module = load()
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
OWNER, GROUP = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
QUADLET, ENVIRONMENT = "/etc/containers/systemd/hermes.container", "/etc/hermes/hermes.env"
PROXY, EXTRA = "/etc/systemd/system/proxy.service", "/etc/hermes/extra/extra.conf"
URL = "http://127.0.0.1:9119/api/status"


def file(path: str, content: str, mode: str = "0644") -> dict[str, Any]:
    return {"path": path, "mode": mode, "owner": OWNER, "group": GROUP, "content": content}


def container(version: str = "1", words: str = "", extra: bool = False, tag: str = "") -> dict[str, Any]:
    image = f"docker.io/hermes:{tag or 'v' + version}"
    return {
        "name": "container",
        "packages": ["podman"],
        "images": [image],
        "files": [file(QUADLET, f"Image={image}\nVersion={version}\n{words}\n"), file(ENVIRONMENT, "KEY=secret-one\n", "0600")]
        + ([file(EXTRA, version)] if extra else []),
        "units": [{"name": "hermes.service", "enable": False}],
    }


def proxy(words: str = "") -> dict[str, Any]:
    return {"name": "proxy", "files": [file(PROXY, f"proxy {words}\n")], "units": [{"name": "proxy.service", "enable": True}]}


class GuestCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=MEMORY)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.root = self.folder / "root"
        (self.root / "etc").mkdir(parents=True)
        self.doubles = Doubles(self.root, self.folder)
        self.guest = guest_module.Guest(str(self.root))
        patcher = mock.patch.object(os, "fsync", lambda _: None)  # a real one takes most of a test's time
        patcher.start()
        self.addCleanup(patcher.stop)
        self.patch("POLL_SECONDS", 0)
        self.patch("run", self.doubles.run)
        self.patch("probe", self.answer)
        self.logged: list[str] = []
        self.patch("log", self.logged.append)

    def patch(self, name: str, value: Any) -> None:
        patcher = mock.patch.object(guest_module, name, value)
        patcher.start()
        self.addCleanup(patcher.stop)

    def tearDown(self) -> None:
        self.assertEqual(self.doubles.state["refused"], [], "hermes-guest called something that the doubles do not know")

    def answer(self, _url: str) -> tuple[str | None, str]:
        running = self.running("hermes.service")
        versions = [line.removeprefix("Version=") for line in running.splitlines() if line.startswith("Version=")]
        return (versions[0], "") if versions and "silent" not in running else (None, "no answer")

    # what a test does

    def stage(self, part: dict[str, Any]) -> dict[str, Any]:
        with self.guest.locked():
            return dict(self.guest.stage(part["name"], json.dumps(part).encode()))

    def deploy(self, *parts: dict[str, Any], timeout: int = 300) -> dict[str, Any]:
        staged = [self.stage(part) for part in parts]
        ready = {"unit": "hermes.service", "url": URL, "timeoutSeconds": timeout}
        with self.guest.locked():
            return dict(self.guest.activate(json.dumps({"parts": staged, "ready": ready}).encode()))

    def fails(self, action: Callable[..., Any], *arguments: Any, **named: Any) -> str:
        with self.assertRaises(guest_module.Problem) as caught:
            action(*arguments, **named)
        return str(caught.exception)

    def change_state(self, **values: Any) -> None:
        self.doubles.save({**self.doubles.state, **values})

    # what a test looks at

    def at(self, path: str) -> Path:
        return Path(str(self.root) + path)

    def running(self, unit: str) -> str:
        return str(self.doubles.state["units"].get(unit, {}).get("running", ""))

    def calls(self, start: str) -> list[str]:
        return [call for call in self.doubles.state["calls"] if call.startswith(start)]

    def forget_calls(self) -> None:
        self.change_state(calls=[])

    def tree(self) -> dict[str, str]:
        """Every file outside the records, by path."""
        files = (path for path in self.root.rglob("*") if path.is_file() and "var/lib/hermes-guest" not in str(path))
        return {str(path)[len(str(self.root)) :]: path.read_text() for path in files}

    def applied(self) -> dict[str, str]:
        return {part.name: part.digest for part in self.guest.applied()}

    def pending(self) -> bool:
        return self.at("/var/lib/hermes-guest/pending.json").exists()

    def assert_in_force(self, *parts: dict[str, Any]) -> None:
        wanted = {item["path"]: item["content"] for part in parts for item in part["files"]}
        self.assertEqual(self.tree(), wanted)
        self.assertEqual(self.applied(), {part["name"]: guest_module.digest_of(json.dumps(part).encode()) for part in parts})
        self.assertFalse(self.pending())
        for unit, path in (("hermes.service", QUADLET), ("proxy.service", PROXY)):
            self.assertEqual(self.running(unit), wanted.get(path, ""), f"{unit} does not run what its file says")
        self.assertEqual(list(self.root.rglob(".*.hermes-guest")), [])
        empty = [path for path in self.root.rglob("*") if path.is_dir() and not any(path.iterdir()) and path.name != "staged"]
        self.assertEqual(empty, [])


class Staging(GuestCase):
    def test_a_staged_part_is_kept_to_the_byte_for_root_only_and_changes_nothing_live(self) -> None:
        answer = self.stage(container())
        kept = self.at("/var/lib/hermes-guest/staged/container.json")
        self.assertEqual(kept.read_bytes(), json.dumps(container()).encode())
        self.assertEqual(answer["digest"], guest_module.digest_of(kept.read_bytes()))
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.tree(), self.doubles.state["calls"]), ({}, []))

    def test_staging_the_same_again_does_not_write(self) -> None:
        first = self.stage(container())
        kept = [self.at(f"/var/lib/hermes-guest/{name}") for name in ("staged/container.json", "revisions.json")]
        before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in kept]
        self.assertEqual(self.stage(container()), first)
        self.assertEqual([(path.stat().st_ino, path.stat().st_mtime_ns) for path in kept], before)

    def test_every_different_payload_of_a_part_has_a_higher_revision_and_so_has_the_first_one_when_it_comes_back(self) -> None:
        staged = [self.stage(part) for part in (container(), container("2"), container(), proxy(), container())]
        self.assertEqual([answer["revision"] for answer in staged], [1, 2, 3, 1, 3])
        self.assertEqual(staged[0]["digest"], staged[2]["digest"])
        self.assertEqual(self.at("/var/lib/hermes-guest/revisions.json").stat().st_mode & 0o777, 0o600)

    def test_a_part_that_was_removed_goes_on_counting_when_it_comes_back(self) -> None:
        self.deploy(container(), proxy())
        self.guest.remove("container")
        self.guest.remove("proxy")
        self.assertEqual(self.stage(container())["revision"], 2)

    def test_a_payload_that_was_staged_without_a_count_gets_its_first_revision(self) -> None:
        self.stage(container())
        self.at("/var/lib/hermes-guest/revisions.json").unlink()
        self.assertEqual([self.stage(container())["revision"], self.stage(container("2"))["revision"]], [1, 2])

    def test_a_damaged_count_is_named_with_what_to_do_and_the_payload_before_stays(self) -> None:
        self.stage(container())
        for damage in ("", "{", "7", '{"container": "2"}', '{"container": 0}', '{"container": true}', '{"other": null}'):
            with self.subTest(damage):
                self.at("/var/lib/hermes-guest/revisions.json").write_text(damage)
                self.assertIn("revisions.json is damaged; move it away", self.fails(self.stage, container("2")))
        self.assertEqual(self.at("/var/lib/hermes-guest/staged/container.json").read_bytes(), json.dumps(container()).encode())

    def test_hostile_or_malformed_payloads_are_refused_by_name_and_never_quoted(self) -> None:
        def with_file(**values: Any) -> bytes:
            return json.dumps({"name": "container", "files": [{**file("/etc/x", "top-secret"), **values}]}).encode()

        def with_part(**values: Any) -> bytes:
            return json.dumps({**container(), **values}).encode()

        cases: list[tuple[bytes, str]] = [
            (b"", "nothing was sent"),
            (b" \n", "nothing was sent"),
            (b"{", "not valid JSON at line 1"),
            (b'{"name": "container", "files": [], "files": []}', "occurs twice"),
            (b"\xff\xfe", "not UTF-8 at byte 0"),
            (b"[" * 100_000, "not valid JSON"),
            (b'"' + b"x" * guest_module.LARGEST_INPUT + b'"', "longer than"),
            (b"[]", "expected an object"),
            (b'{"name": "container"}', "files is missing"),
            (with_part(name="other"), "the payload is of part 'other'"),
            (with_part(script="x"), "unknown key 'script'"),
            (with_part(files={}), "files: expected a list"),
            (with_part(packages=["--allow-unauthenticated"]), "packages[0]: expected a Debian package name"),
            (with_part(images=["-v"]), "images[0]: expected an image reference"),
            (with_part(units=[{"name": "--now.service"}]), "units[0].name: expected a unit name"),
            (with_part(units=[{"name": "a.service", "enable": "yes"}]), "enable: expected true or false"),
            (with_part(units=[{"name": "a.service"}, {"name": "a.service"}]), "a.service occurs twice"),
            (with_part(files=[file("/etc/x", ""), file("/etc/x", "")]), "/etc/x occurs twice"),
            (with_file(sha="x"), "unknown key 'sha'"),
            (with_file(mode="644"), "mode: expected four octal digits"),
            (with_file(mode="4755"), "mode: expected four octal digits"),
            (with_file(mode=420), "mode: expected four octal digits"),
            (with_file(owner="root:root"), "owner: expected a user or group name"),
            (with_file(content="a\0b"), "without NUL"),
            (with_file(content="\ud800"), "surrogate"),
            (with_file(content=["top-secret", 1]), "content: expected text"),
            (with_file(content=["top-secret\nx"]), "content: expected text"),
        ]
        for path in ("etc/x", "/etc/../root/x", "/etc/./x", "/etc//x", "/etc/x/", "/", "/etc/a b", "/etc/x\n", "/etc/x\0", "/etc/..", "/etc/ö"):
            cases.append((with_file(path=path), "path: expected an absolute path"))
        for path in ("/var/lib/hermes/x", "/var/lib/hermes", "/var/lib/hermes-guest/applied.json", "/proc/x", "/dev/x", "/tmp/x", "/run/x"):
            cases.append((with_file(path=path), "nothing is written below"))
        for raw, expected in cases:
            with self.subTest(expected=expected, raw=raw[:90]):
                message = self.fails(self.guest.stage, "container", raw)
                self.assertIn(expected, message)
                self.assertNotIn("top-secret", message)
                self.assertLess(len(message), 300)
        self.assertFalse(self.at("/var/lib/hermes-guest").exists())

    def test_names_that_only_begin_like_a_refused_folder_are_allowed(self) -> None:
        part = {"name": "a", "files": [file("/var/lib/hermes-backup/x..y", "x"), file("/etc/...", "x")]}
        self.assertEqual(len(guest_module.parse_part(json.dumps(part).encode(), "a").files), 2)


class Transitions(GuestCase):
    def test_a_first_activation_installs_pulls_writes_starts_and_reports(self) -> None:
        result = self.deploy(container(), proxy())
        self.assert_in_force(container(), proxy())
        self.assertEqual(result["version"], "1")
        self.assertEqual(result["image"], "docker.io/hermes:v1")
        self.assertEqual(result["changed"], sorted([QUADLET, ENVIRONMENT, PROXY]))
        self.assertEqual(result["restarted"], ["hermes.service", "proxy.service"])
        self.assertEqual(self.at(ENVIRONMENT).stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.doubles.state["packages"], ["podman"])
        self.assertEqual(self.doubles.state["enabled"], ["proxy.service"], "a generated unit is never enabled")

    def test_a_content_sent_line_by_line_becomes_the_same_file(self) -> None:
        by_line = container()
        by_line["files"] = [{**item, "content": item["content"].split("\n")} for item in by_line["files"]]
        self.deploy(by_line)
        self.assertEqual(self.tree(), {item["path"]: item["content"] for item in container()["files"]})

    def test_when_nothing_differs_nothing_is_written_reloaded_or_restarted(self) -> None:
        self.deploy(container(), proxy())
        before = {path: path.stat().st_mtime_ns for path in self.root.rglob("*") if "lock" not in path.name}
        self.forget_calls()
        result = self.deploy(container(), proxy())
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        self.assertEqual((result["changed"], result["restarted"], result["version"]), ([], [], "1"))
        self.assertEqual([call for call in self.calls("systemctl") if " show " not in call], [])
        self.assertEqual(self.calls("apt-get") + self.calls("podman pull"), [])

    def test_only_the_changed_file_is_written_and_only_its_part_restarted(self) -> None:
        self.deploy(container(), proxy())
        before = self.at(ENVIRONMENT).stat().st_mtime_ns
        process = self.doubles.state["units"]["proxy.service"]["pid"]
        result = self.deploy(container("2"), proxy())
        self.assert_in_force(container("2"), proxy())
        self.assertEqual((result["changed"], result["restarted"], result["version"]), ([QUADLET], ["hermes.service"], "2"))
        self.assertEqual(self.at(ENVIRONMENT).stat().st_mtime_ns, before)
        self.assertEqual(self.doubles.state["units"]["proxy.service"]["pid"], process)

    def test_a_file_is_on_disk_before_its_name_is_and_the_folder_after(self) -> None:
        order: list[str] = []
        rename = os.replace

        def replace(source: Path, target: Path) -> None:
            order.append("rename")
            rename(source, target)

        (self.root / "x").mkdir()
        with mock.patch.object(os, "fsync", lambda _: order.append("sync")), mock.patch.object(os, "replace", replace):
            self.guest.write("/x/y", b"z", 0o600, os.geteuid(), os.getegid())
        self.assertEqual(order, ["sync", "rename", "sync"])

    def test_a_changed_mode_alone_is_put_right(self) -> None:
        self.deploy(container())
        self.at(ENVIRONMENT).chmod(0o644)
        self.assertEqual(self.deploy(container())["changed"], [ENVIRONMENT])
        self.assertEqual(self.at(ENVIRONMENT).stat().st_mode & 0o777, 0o600)

    def test_a_unit_that_asks_not_to_be_restarted_is_only_started(self) -> None:
        calm = {**proxy(), "units": [{"name": "proxy.service", "enable": True, "restart": False}]}
        self.deploy(container(), calm)
        self.forget_calls()
        self.deploy(container(), {**calm, "files": [file(PROXY, "proxy changed\n")]})
        self.assertEqual(self.calls("systemctl restart") + self.calls("systemctl start"), [])

    def test_a_unit_of_two_parts_is_restarted_once_when_either_changes(self) -> None:
        def other(words: str) -> dict[str, Any]:
            return {"name": "sandbox", "files": [file(EXTRA, words)], "units": [{"name": "hermes.service"}]}

        self.deploy(container(), other("1"))
        self.forget_calls()
        self.assertEqual(self.deploy(container(), other("2"))["restarted"], ["hermes.service"])
        self.assertEqual(self.calls("systemctl restart"), ["systemctl restart hermes.service"])

    def test_a_stopped_unit_is_started_again_without_a_reload(self) -> None:
        self.deploy(container(), proxy())
        self.doubles.run("systemctl", "stop", "hermes.service")
        self.forget_calls()
        self.assertEqual(self.deploy(container(), proxy())["restarted"], ["hermes.service"])
        self.assertEqual(self.calls("systemctl daemon-reload") + self.calls("systemctl restart"), [])

    def test_files_that_a_part_has_no_more_go_with_the_folders_made_for_them(self) -> None:
        self.deploy(container(extra=True))
        self.assertTrue(self.at(EXTRA).exists())
        self.assertEqual(self.deploy(container())["changed"], [EXTRA])
        self.assertFalse(self.at(EXTRA).parent.exists())
        self.assertTrue(self.at("/etc/hermes").is_dir(), "a folder still in use stays")

    def test_a_part_that_is_listed_no_more_is_stopped_disabled_and_removed(self) -> None:
        self.deploy(container(), proxy())
        self.deploy(container())
        self.assert_in_force(container())
        self.assertEqual(self.doubles.state["enabled"], [])

    def test_a_unit_whose_enabling_is_withdrawn_is_disabled(self) -> None:
        self.deploy(container(), proxy())
        self.deploy(container(), {**proxy(), "units": [{"name": "proxy.service"}]})
        self.assertEqual(self.doubles.state["enabled"], [])

    def test_what_somebody_else_wrote_is_kept_under_another_name(self) -> None:
        self.at(ENVIRONMENT).parent.mkdir()
        self.at(ENVIRONMENT).write_text("mine\n")
        self.deploy(container())
        self.assertEqual(self.at(ENVIRONMENT + ".hermes-kept").read_text(), "mine\n")
        self.assertEqual(self.at(ENVIRONMENT).read_text(), "KEY=secret-one\n")

    def test_a_link_in_the_place_of_a_file_is_replaced_and_never_followed(self) -> None:
        victim = self.at("/etc/shadow")
        victim.write_text("untouched")
        self.at(ENVIRONMENT).parent.mkdir()
        self.at(ENVIRONMENT).symlink_to(victim)
        self.deploy(container())
        self.assertEqual(victim.read_text(), "untouched")
        self.assertFalse(self.at(ENVIRONMENT).is_symlink())

    def test_a_linked_foreign_or_writable_parent_folder_is_refused_before_anything_live(self) -> None:
        outside = self.folder / "outside"
        outside.mkdir()
        self.at("/etc/hermes").symlink_to(outside)
        self.assertIn("/etc/hermes is a symbolic link", self.fails(self.deploy, container()))
        self.at("/etc/hermes").unlink()
        self.at("/etc/hermes").mkdir()
        self.at("/etc/hermes").chmod(0o777)
        self.assertIn("others than root can write in /etc/hermes", self.fails(self.deploy, container()))
        self.at("/etc/hermes").rmdir()
        self.at("/etc/hermes").write_text("a file")
        self.assertIn("/etc/hermes is not a directory", self.fails(self.deploy, container()))
        self.assertEqual(list(outside.iterdir()), [])
        self.assertEqual(list(self.tree()), ["/etc/hermes"])

    def test_an_owner_that_the_guest_does_not_have_stops_before_anything_live(self) -> None:
        part = container()
        part["files"][0]["owner"] = "nobody-of-that-name"
        self.assertIn("no user nobody-of-that-name", self.fails(self.deploy, part))
        self.assertEqual((self.tree(), self.pending()), ({}, False))

    def test_two_parts_with_one_file_are_refused(self) -> None:
        self.assertIn(f"{PROXY} occurs twice", self.fails(self.deploy, container(), proxy(), {**proxy(), "name": "second"}))

    def test_a_missing_or_different_staged_part_stops_with_what_was_expected_and_found(self) -> None:
        ready = {"unit": "hermes.service", "url": URL}
        request = json.dumps({"parts": [{"name": "container", "digest": "a" * 64}], "ready": ready}).encode()
        self.assertIn("expected the payload aaaaaaaaaaaa…, found none", self.fails(self.guest.activate, request))
        digest = self.stage(container())["digest"]
        message = self.fails(self.guest.activate, request)
        self.assertIn(f"expected the payload aaaaaaaaaaaa…, found {digest[:12]}…", message)
        self.assertIn("pulumi state delete", message)

    def test_a_malformed_request_is_refused(self) -> None:
        good = {"parts": [], "ready": {"unit": "hermes.service", "url": URL}}
        for change, expected in (
            ({"parts": [{"name": "../x", "digest": "a" * 64}]}, "parts[0].name"),
            ({"parts": [{"name": "x", "digest": "a"}]}, "parts[0].digest"),
            ({"parts": [{"name": "x", "digest": "a" * 64, "revision": 0}]}, "parts[0].revision: expected a whole number from 1 on, found 0"),
            ({"parts": [{"name": "x", "digest": "a" * 64, "revision": True}]}, "parts[0].revision"),
            ({"parts": [{"name": "x", "digest": "a" * 64, "revision": "2"}]}, "parts[0].revision"),
            ({"ready": {"unit": "hermes.service"}}, "url is missing"),
            ({"ready": {"unit": "hermes.service", "url": "http://192.0.2.1/"}}, "address of 127.0.0.1"),
            ({"ready": {"unit": "hermes.service", "url": "file:///etc/shadow"}}, "address of 127.0.0.1"),
            ({"ready": {"unit": "hermes.service", "url": "http://127.0.0.1:99999/"}}, "address of 127.0.0.1"),
            ({"ready": {"unit": "hermes.service", "url": 7}}, "address of 127.0.0.1"),
            ({"ready": {"unit": "hermes.service", "url": URL, "timeoutSeconds": True}}, "expected 1 to 3600"),
            ({"force": True}, "unknown key 'force'"),
        ):
            with self.subTest(expected=expected):
                self.assertIn(expected, self.fails(self.guest.activate, json.dumps({**good, **change}).encode()))


    def test_a_revision_is_optional_and_none_is_compared(self) -> None:
        ready = {"unit": "hermes.service", "url": URL}
        digest = self.stage(container())["digest"]
        for revision in ({}, {"revision": 1}, {"revision": 99}):
            part = {"name": "container", "digest": digest, **revision}
            self.assertEqual(self.guest.activate(json.dumps({"parts": [part], "ready": ready}).encode())["version"], "1")


class Images(GuestCase):
    def images(self) -> list[str]:
        return [str(image).removeprefix("docker.io/hermes:") for image in self.doubles.state["images"]]

    def test_the_images_of_the_set_in_force_and_of_the_one_before_stay_and_older_ones_go(self) -> None:
        left = []
        for version in ("1", "2", "3", "4", "3"):
            self.deploy(container(version))
            left.append(self.images())
        self.assertEqual(left, [["v1"], ["v1", "v2"], ["v2", "v3"], ["v3", "v4"], ["v3", "v4"]])
        self.assertEqual(self.calls("podman image rm"), [f"podman image rm --ignore docker.io/hermes:v{old}" for old in (1, 2)])
        self.assertIn("removed the old image docker.io/hermes:v1", self.logged)

    def test_an_activation_that_changes_nothing_keeps_the_way_back(self) -> None:
        for version in ("1", "2", "2"):
            self.deploy(container(version))
        self.assertEqual(self.images(), ["v1", "v2"])

    def test_an_image_of_a_version_that_failed_goes_with_the_next_success(self) -> None:
        self.deploy(container())
        self.fails(self.deploy, container("2", "start-fails"))
        self.assertEqual(self.images(), ["v1", "v2"])
        self.deploy(container("3"))
        self.assertEqual(self.images(), ["v1", "v3"])

    def test_an_image_pulled_before_another_one_could_not_be_is_remembered_too(self) -> None:
        self.deploy(container())
        self.fails(self.deploy, {**container("2"), "images": ["docker.io/hermes:v2", "docker.io/hermes:absent"]})
        self.deploy(container("3"))
        self.assertEqual(self.images(), ["v1", "v3"])

    def test_an_image_that_was_there_before_any_part_wanted_it_is_never_removed(self) -> None:
        self.change_state(images=["docker.io/hermes:v1", "docker.io/other:v1"])
        for version in ("1", "2", "3"):
            self.deploy(container(version))
        self.assertEqual(self.images(), ["v1", "docker.io/other:v1", "v2", "v3"])
        self.assertEqual(self.calls("podman image rm"), [])

    def test_an_image_that_cannot_be_removed_is_logged_and_tried_again_at_the_next_change(self) -> None:
        self.change_state(faults=["rm docker.io/hermes:v1"])
        for version in ("1", "2", "3"):
            self.deploy(container(version))
        self.assertEqual(self.images(), ["v1", "v2", "v3"])
        self.assertTrue(any("the old image docker.io/hermes:v1 stays for now: Error: image used by" in line for line in self.logged))
        self.change_state(faults=[])
        self.deploy(container("4"))
        self.assertEqual(self.images(), ["v3", "v4"])

    def test_an_image_that_somebody_removed_already_is_no_trouble(self) -> None:
        self.deploy(container())
        self.deploy(container("2"))
        self.change_state(images=["docker.io/hermes:v2"])
        self.deploy(container("3"))
        self.assertEqual(self.images(), ["v2", "v3"])
        self.assertEqual([line for line in self.logged if "stays for now" in line], [])


class Failures(GuestCase):
    def test_an_image_that_cannot_be_pulled_leaves_the_running_version_untouched(self) -> None:
        self.deploy(container())
        self.forget_calls()
        message = self.fails(self.deploy, container("2", tag="absent"))
        self.assertEqual(
            message,
            "image docker.io/hermes:absent cannot be pulled: Error: reading manifest: manifest unknown; "
            "the running version was not touched; check the tag in hermes:container.image",
        )
        self.assertEqual(len(self.calls("podman pull")), 2)
        self.assertEqual([call for call in self.calls("systemctl") if " show " not in call], [])
        self.assert_in_force(container())

    def test_a_package_that_cannot_be_installed_stops_before_anything_else(self) -> None:
        message = self.fails(self.deploy, {**container(), "packages": ["absent"]})
        self.assertIn("Unable to locate package absent; nothing else was touched", message)
        self.assertEqual((self.tree(), self.calls("podman")), ({}, []))

    def test_a_version_that_does_not_come_up_is_replaced_by_the_previous_one(self) -> None:
        for words, reason in (
            ("start-fails", "hermes.service failed (exit-code)"),
            ("crash-loop", "hermes.service was restarted 4 times"),
            ("silent", "hermes.service was not ready within 1 s: no answer"),
        ):
            with self.subTest(words):
                self.deploy(container(), proxy())
                message = self.fails(self.deploy, container("2", words, extra=True), proxy(), timeout=1)
                self.assertIn(reason, message)
                self.assertIn("the last words of hermes.service", message)
                self.assertIn("The previous version (1) is back and ready", message)
                self.assertNotIn("secret-one", message)
                self.assert_in_force(container(), proxy())

    def test_the_reason_comes_with_thirty_lines_of_the_journal_without_podmans_own_events(self) -> None:
        lines = self.fails(self.deploy, container(words="start-fails")).splitlines()
        shown = [line.strip() for line in lines if line.startswith("    ")]
        self.assertEqual(shown, [*(f"line {i}" for i in range(11, 40)), "the last words of hermes.service"])

    def test_a_failure_in_the_middle_of_writing_is_undone_too(self) -> None:
        self.deploy(container(), proxy())
        whole = self.guest.put

        def full(item: Any, ours: set[str]) -> None:
            if item.path == EXTRA:
                raise OSError(28, "No space left on device", EXTRA)
            whole(item, ours)

        with mock.patch.object(self.guest, "put", full):
            message = self.fails(self.deploy, container("2", extra=True), proxy())
        self.assertIn("No space left on device", message)
        self.assertIn("is back and ready", message)
        self.assert_in_force(container(), proxy())

    def test_a_unit_beside_hermes_that_does_not_start_is_a_failure_too(self) -> None:
        self.deploy(container(), proxy())
        message = self.fails(self.deploy, container(), proxy("start-fails"))
        self.assertIn("systemctl restart proxy.service: Job for proxy.service failed", message)
        self.assert_in_force(container(), proxy())

    def test_a_unit_beside_hermes_that_fails_just_after_its_start_is_a_failure_too(self) -> None:
        self.deploy(container(), proxy())
        message = self.fails(self.deploy, container(), proxy("exec-fails"))
        self.assertIn("proxy.service failed (exit-code)", message)
        self.assertIn("the last words of proxy.service", message)
        self.assert_in_force(container(), proxy())

    def test_without_an_earlier_version_the_new_files_stay_and_a_second_run_finishes(self) -> None:
        self.change_state(faults=["start hermes.service"])
        message = self.fails(self.deploy, container())
        self.assertIn("There is no earlier version to go back to", message)
        self.assertTrue(self.pending())
        self.assertEqual(self.applied(), {})
        self.change_state(faults=[])
        self.assertEqual(self.deploy(container())["restarted"], ["hermes.service"])
        self.assert_in_force(container())

    def test_when_the_previous_version_does_not_come_back_either_that_is_said(self) -> None:
        self.deploy(container())
        self.change_state(faults=["start hermes.service"])
        message = self.fails(self.deploy, container("2"))
        self.assertIn("The previous version (1) is NOT back: hermes.service failed", message)
        self.assertTrue(self.pending())
        self.change_state(faults=[])
        self.deploy(container())
        self.assert_in_force(container())

    def test_the_version_in_force_is_not_its_own_earlier_version(self) -> None:
        self.deploy(container())
        self.at(ENVIRONMENT).write_text("edited")
        self.change_state(faults=["start hermes.service"])
        self.assertIn("nothing to go back to", self.fails(self.deploy, container()))

    def test_a_unit_that_systemd_does_not_know_fails_at_once_with_where_to_look(self) -> None:
        self.assertIn("podman-system-generator --dryrun", self.fails(self.deploy, {**container(), "files": [file(EXTRA, "x")]}))

    def test_a_unit_that_stops_by_itself_fails_early(self) -> None:
        self.deploy(container())
        self.doubles.run("systemctl", "stop", "hermes.service")
        self.assertIn("hermes.service is not running", self.fails(self.deploy, {**container(), "units": []}))

    def test_a_process_that_keeps_changing_is_not_ready(self) -> None:
        states = iter(range(1, 1000))
        self.patch("unit_state", lambda _unit: {"LoadState": "loaded", "ActiveState": "active", "MainPID": str(next(states))})
        self.patch("probe", lambda _url: ("1", ""))
        ready = guest_module.Ready("hermes.service", URL, 1)
        self.assertIn("its process keeps changing", self.fails(guest_module.wait_ready, ready, 0.05, 3))

    def test_a_damaged_record_is_named_with_what_to_do(self) -> None:
        self.deploy(container())
        self.at("/var/lib/hermes-guest/applied.json").write_text("{")
        self.assertIn("applied.json is damaged; move it away", self.fails(self.deploy, container()))


class Killed(GuestCase):
    """The process is really killed (SIGKILL) before each of its steps in turn; then it is run again."""

    def setUp(self) -> None:
        super().setUp()
        self.base = self.folder / "base"

    def keep(self) -> None:
        """What a round starts from."""
        self.base.mkdir()
        shutil.copytree(self.root, self.base / "root", symlinks=True)
        self.doubles.save(self.doubles.state)
        shutil.copy2(self.doubles.file, self.base)

    def reset(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.base / "root", self.root, symlinks=True)
        shutil.copy2(self.base / self.doubles.file.name, self.doubles.file)

    def killed_at(self, step: int, action: Callable[[], Any]) -> bool:
        child = os.fork()
        if child == 0:
            self.die_at(step)
            try:
                action()
            except guest_module.Problem:
                pass
            except BaseException:
                os._exit(3)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        self.assertIn(status, (0, signal.SIGKILL), "the run ended in an unexpected way")
        return status != 0

    def die_at(self, step: int) -> None:
        left = [step]

        def counted(whole: Any) -> Any:
            def call(*arguments: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return whole(*arguments, **named)

            return call

        # Every call after which another process sees other names or states; a file that is only half
        # written is one of them, since its `open` and its `replace` are two steps.
        for name in ("open", "replace", "mkdir", "rmdir", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        guest_module.run = counted(self.doubles.run)

    def every_step(self, action: Callable[[], Any], after: Callable[[], None], least: int = 20) -> None:
        self.keep()
        step = 0
        while True:
            self.reset()
            with self.subTest(step=step):
                if not self.killed_at(step, action):
                    break
                after()
            step += 1
        self.assertGreater(step, least)

    def assert_truthful(self, *sets: list[dict[str, Any]]) -> None:
        """No file is half written, the record is one of the sets, and a difference between both is journaled."""
        texts = [{item["path"]: item["content"] for part in parts for item in part["files"]} for parts in sets]
        for path, content in self.tree().items():
            if not path.endswith(".hermes-guest"):
                self.assertIn(content, [text.get(path) for text in texts])
        records = [{part["name"]: guest_module.digest_of(json.dumps(part).encode()) for part in parts} for parts in sets]
        self.assertIn(self.applied(), records)
        recorded = texts[records.index(self.applied())]
        live = {path: content for path, content in self.tree().items() if not path.endswith(".hermes-guest")}
        as_recorded = live == recorded and self.running("hermes.service") == recorded.get(QUADLET, "")
        self.assertTrue(as_recorded or self.pending(), "neither recorded nor journaled")

    def test_a_first_activation_killed_at_any_step_is_finished_by_the_next(self) -> None:
        new = [container(extra=True), proxy()]
        for part in new:
            self.stage(part)

        def after() -> None:
            self.assert_truthful([], new)
            self.deploy(*new)
            self.assert_in_force(*new)

        self.every_step(lambda: self.deploy(*new), after)

    def test_an_update_killed_at_any_step_is_finished_by_the_next(self) -> None:
        old, new = [container(extra=True), proxy()], [container("2")]
        self.deploy(*old)

        def after() -> None:
            self.assert_truthful(old, new)
            self.deploy(*new)
            self.assert_in_force(*new)

        self.every_step(lambda: self.deploy(*new), after)

    def test_after_a_kill_another_version_leaves_nothing_of_the_interrupted_one(self) -> None:
        old, interrupted, new = [container()], [container("2", extra=True), proxy()], [container("3")]
        self.deploy(*old)

        def after() -> None:
            self.deploy(*new)
            self.assert_in_force(*new)
            self.assertEqual(self.doubles.state["enabled"], [])

        self.every_step(lambda: self.deploy(*interrupted), after)

    def test_a_staging_killed_at_any_step_may_skip_a_revision_and_never_gives_one_twice(self) -> None:
        self.stage(container())
        self.stage(container("2"))

        def after() -> None:
            first = self.stage(container("3"))["revision"]
            self.assertIn(first, (3, 4))
            self.assertEqual([self.stage(container(version))["revision"] for version in ("3", "2", "3")], [first, first + 1, first + 2])

        self.every_step(lambda: self.stage(container("3")), after, 5)

    def test_an_update_killed_at_any_step_leaves_the_images_of_two_sets_after_the_next(self) -> None:
        self.deploy(container())
        self.deploy(container("2"))

        def after() -> None:
            self.deploy(container("3"))
            self.assertEqual(self.doubles.state["images"], ["docker.io/hermes:v2", "docker.io/hermes:v3"])
            self.assertEqual(self.running("hermes.service"), container("3")["files"][0]["content"])

        self.every_step(lambda: self.deploy(container("3")), after)

    def test_a_way_back_killed_at_any_step_is_walked_to_its_end_by_the_next(self) -> None:
        old, broken = [container(), proxy()], [container("2", "start-fails", extra=True)]
        self.deploy(*old)

        def after() -> None:
            self.assert_truthful(old, broken)
            self.assertIn("The previous version (1) is back", self.fails(self.deploy, *broken))
            self.assert_in_force(*old)

        self.every_step(lambda: self.deploy(*broken), after)

    def test_a_removal_killed_at_any_step_is_finished_by_the_next(self) -> None:
        old = [container(extra=True), proxy()]
        self.deploy(*old)

        def after() -> None:
            self.guest.remove("container")
            self.assert_in_force(proxy())

        self.every_step(lambda: self.guest.remove("container"), after)

    def test_a_removal_killed_at_any_step_can_be_taken_back(self) -> None:
        old = [container(extra=True), proxy()]
        self.deploy(*old)

        def after() -> None:
            self.deploy(*old)
            self.assert_in_force(*old)

        self.every_step(lambda: self.guest.remove("container"), after)


class Removal(GuestCase):
    def test_a_part_goes_with_its_units_files_folders_and_records_and_nothing_else(self) -> None:
        self.at("/etc/containers").mkdir()
        self.at("/var/lib/hermes").mkdir(parents=True)
        self.at("/var/lib/hermes/memory").write_text("kept")
        self.deploy(container(extra=True), proxy())
        self.assertEqual(self.guest.remove("container")["removed"], sorted([QUADLET, ENVIRONMENT, EXTRA]))
        self.assertEqual(self.tree(), {PROXY: "proxy \n", "/var/lib/hermes/memory": "kept"})
        self.assertEqual((self.running("hermes.service"), self.running("proxy.service")), ("", "proxy \n"))
        acts = [call for call in self.calls("systemctl") if " show " not in call]
        self.assertEqual(acts[-2:], ["systemctl daemon-reload", "systemctl reset-failed hermes.service"])
        self.assertFalse(self.at("/etc/hermes").exists())
        self.assertFalse(self.at("/var/lib/hermes-guest/staged/container.json").exists())
        self.assertTrue(self.at("/etc/containers").is_dir(), "a folder that was there before stays")
        self.guest.remove("proxy")
        self.assertEqual(self.doubles.state["enabled"], [])
        self.assertFalse(self.at("/var/lib/hermes-guest/applied.json").exists())

    def test_removing_twice_and_removing_the_unknown_succeed_with_a_note(self) -> None:
        self.deploy(container())
        self.guest.remove("container")
        self.assertEqual(self.guest.remove("container")["removed"], [])
        self.assertIn("part container is not in force here; nothing to remove", self.logged)

    def test_a_part_that_never_became_ready_is_removed_too(self) -> None:
        self.fails(self.deploy, container(words="start-fails"))
        self.guest.remove("container")
        self.assertEqual((self.tree(), self.pending()), ({}, False))

    def test_a_file_that_was_edited_since_is_kept_under_another_name(self) -> None:
        self.deploy(container())
        self.at(ENVIRONMENT).write_text("edited by hand")
        self.guest.remove("container")
        self.assertEqual(self.tree(), {ENVIRONMENT + ".hermes-kept": "edited by hand"})

    def test_a_folder_with_something_else_in_it_stays(self) -> None:
        self.deploy(container())
        self.at("/etc/hermes/other").write_text("x")
        self.guest.remove("container")
        self.assertEqual(self.tree(), {"/etc/hermes/other": "x"})

    def test_a_service_of_the_system_that_only_read_our_file_is_restarted_and_never_stopped(self) -> None:
        drop_in = {"name": "sshd", "files": [file("/etc/ssh/sshd_config.d/50-hermes.conf", "x")], "units": [{"name": "ssh.service"}]}
        self.deploy(container(), drop_in)
        self.forget_calls()
        self.guest.remove("sshd")
        self.assertEqual(self.doubles.state["units"]["ssh.service"]["active"], "active")
        self.assertEqual(self.calls("systemctl try-restart"), ["systemctl try-restart ssh.service"])

    def test_a_unit_that_another_part_needs_is_restarted_and_stays(self) -> None:
        other = {"name": "sandbox", "files": [file(EXTRA, "x")], "units": [{"name": "hermes.service"}]}
        self.deploy(container(), other)
        self.forget_calls()
        self.guest.remove("sandbox")
        self.assertEqual(self.calls("systemctl try-restart"), ["systemctl try-restart hermes.service"])
        self.assert_in_force(container())


class TwoAtOnce(GuestCase):
    def test_of_two_activations_one_works_and_the_other_waits_and_finds_nothing_to_do(self) -> None:
        self.stage(container())
        children = []
        for _ in range(2):
            child = os.fork()
            if child == 0:
                try:
                    self.deploy(container())
                except BaseException:
                    os._exit(3)
                os._exit(0)
            children.append(child)
        self.assertEqual([os.waitpid(child, 0)[1] for child in children], [0, 0])
        self.assertEqual(len(self.calls("systemctl restart")), 1)
        self.assertEqual(len(self.calls("systemctl daemon-reload")), 1)
        self.assert_in_force(container())

    def test_waiting_has_an_end_that_says_what_to_do(self) -> None:
        self.patch("LOCK_WAIT_SECONDS", 0.01)
        with self.guest.locked():
            message = self.fails(lambda: guest_module.Guest(str(self.root)).locked().__enter__())
        self.assertIn("another hermes-guest has been at work", message)
        self.assertTrue(any("waiting up to" in line for line in self.logged))


class Dashboard(http.server.BaseHTTPRequestHandler):
    status, body = 200, b'{"version": "0.19.0"}'

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body if self.path == "/api/status" else b"<html>")

    def log_message(self, *_: Any) -> None:
        pass


class OverHttp(unittest.TestCase):
    def setUp(self) -> None:
        self.handler = type("Handler", (Dashboard,), {})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.port = server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/api/status"

    def test_only_a_200_with_json_that_states_a_version_counts(self) -> None:
        self.assertEqual(guest_module.probe(self.url), ("0.19.0", ""))
        for status, body, why in (
            (500, b'{"version": "1"}', "answers 500"),
            (302, b"", "answers 302"),
            (200, b"<html>", "something else than JSON"),
            (200, b"[]", "something else than JSON"),
            (200, b'{"version": ""}', "states no version"),
            (200, b"\xff", "something else than JSON"),
        ):
            with self.subTest(why=why, body=body):
                self.handler.status, self.handler.body = status, body  # type: ignore[attr-defined]
                self.assertEqual(guest_module.probe(self.url)[0], None)
                self.assertIn(why, guest_module.probe(self.url)[1])
        self.assertIn("refused", guest_module.probe("http://127.0.0.1:1/")[1])

    def test_the_command_line_stages_activates_reports_and_removes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root, path = Path(folder, "root"), Path(folder, "bin")
            (root / "etc").mkdir(parents=True)
            path.mkdir()
            for name in ("systemctl", "podman", "apt-get", "dpkg-query", "journalctl"):
                (path / name).write_text(f"#!/bin/sh\nexec '{sys.executable}' '{HERE / 'doubles.py'}' \"$0\" \"$@\"\n")
                (path / name).chmod(0o755)
            doubles = {"DOUBLES_ROOT": str(root), "DOUBLES_STATE": folder}
            environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1", **doubles}

            def call(*arguments: str, stdin: str = "", status: int = 0) -> tuple[Any, str]:
                command = [sys.executable, str(HERE / "hermes-guest"), "--root", str(root), *arguments]
                done = subprocess.run(command, check=False, input=stdin, capture_output=True, text=True, env=environment)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertNotIn("secret-one", done.stdout + done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                return json.loads(done.stdout) if done.stdout else None, done.stderr

            self.assertIn("nothing was sent", call("stage", "container", status=1)[1])
            self.assertIn("the part's name", call("stage", "../x", stdin="{}", status=1)[1])
            staged, _ = call("stage", "container", stdin=json.dumps(container()))
            request = json.dumps({"parts": [staged], "ready": {"unit": "hermes.service", "url": self.url, "timeoutSeconds": 20}})
            result, log = call("activate", stdin=request)
            self.assertEqual((result["version"], result["restarted"]), ("0.19.0", ["hermes.service"]))
            self.assertIn("restarting hermes.service", log)
            status, _ = call("status", "--url", self.url)
            self.assertEqual((status["state"], status["version"]), ("active", "0.19.0"))
            self.assertEqual(status["parts"], [{"name": "container", "digest": staged["digest"]}])
            self.assertEqual((status["image"]["name"], status["pending"]), ("docker.io/hermes:v1", None))
            self.assertEqual(call("remove", "container")[0]["removed"], [QUADLET, ENVIRONMENT])
            self.assertEqual(Doubles(root, Path(folder)).state["refused"], [])


class CommandLine(GuestCase):
    def test_changing_the_real_root_without_being_root_is_refused_with_the_command_to_use(self) -> None:
        with mock.patch.object(os, "geteuid", lambda: 1000), mock.patch.object(sys, "argv", ["hermes-guest", "remove", "x"]):
            self.assertEqual(guest_module.main(), 1)
        self.assertIn("sudo -n hermes-guest remove", self.logged[0])

    def test_status_without_the_right_to_read_the_records_shows_what_it_can(self) -> None:
        self.deploy(container())
        with mock.patch.object(self.guest, "record", side_effect=PermissionError):
            status = self.guest.status("hermes.service", URL)
        self.assertEqual((status["state"], status["version"]), ("active", "1"))
        self.assertIn("to root only", status["note"])

    def test_a_failing_disk_ends_in_one_line_and_not_in_a_traceback(self) -> None:
        error = OSError(28, "No space left on device", "/var/lib/hermes-guest")
        arguments = ["hermes-guest", "--root", str(self.root), "remove", "x"]
        with mock.patch.object(guest_module.Guest, "locked", side_effect=error), mock.patch.object(sys, "argv", arguments):
            self.assertEqual(guest_module.main(), 1)
        self.assertEqual(self.logged, ["/var/lib/hermes-guest: No space left on device"])


if __name__ == "__main__":
    unittest.main()
