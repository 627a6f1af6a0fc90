"""``cassc inspect --html`` and ``--details``: what the report says, and the page in a real browser without a screen."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cassc.amdgpu import emulator
from cassc.driver import html, report, subcommands
from cassc.driver.report import Report
from cassc.image import bundle, fatbin
from cassc.image.fatbin import EntryKind, FatBinary
from cassc.target import DEFAULT_TARGET, SmArch

CUBIN = Path(__file__).parents[1] / "verify" / "data" / "gate.sm_80.cubin"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WRONG = {
    "seed": 1, "attempt": 2, "grid": [2, 1, 1], "block": [64, 1, 1], "dynamic_shared": 0, "parameters": "00ff",
    "buffer": "parameter 0 (offset 0)", "offset": 8, "expected": "01000000", "got": "</script><b>02",
}  # fmt: skip

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@cache
def content() -> bytes:
    """A fat binary as cassc makes it; what two of its verdicts say is made up."""
    import hashlib

    from cassc.engines.cascade import TranslateOptions, translate_module

    data = CUBIN.read_bytes()
    made = translate_module(data, [DEFAULT_TARGET], TranslateOptions(check_seconds=0))
    verdicts = [verdict.to_dict() for verdict in made.verdicts]
    verdicts[0] |= {"status": "accepted", "reason": "", "launches": 12, "coverage": 1.0, "branches": 0.75}
    verdicts[1] |= {"status": "rejected", "reason": "differs", "counterexample": WRONG}
    record = {
        "cassc": "0", "sm": "sm_80", "cubin": hashlib.sha256(data).hexdigest(), "targets": [DEFAULT_TARGET.name],
        "kernels": verdicts, "refused": [{"kernel": "_Z5blendPf", "reason": "unsupported instruction: textures"}],
    }  # fmt: skip
    objects = bundle.pack({DEFAULT_TARGET: made.code_objects[DEFAULT_TARGET.name]})
    arch = SmArch(80)
    entries = (
        fatbin.make_entry(EntryKind.CUBIN, arch, data),
        fatbin.make_entry(EntryKind.CODE_OBJECTS, arch, objects),
        fatbin.make_entry(EntryKind.VERDICTS, arch, json.dumps(record).encode()),
    )
    return fatbin.serialize(FatBinary(entries))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "program.fatbin"
    path.write_bytes(content())
    return path


@pytest.fixture(scope="module")
def made(program: Path) -> Report:
    return report.make(str(program))


def test_every_kernel_has_listings_a_graph_and_facts(made: Report) -> None:
    assert len(made.kernels) > 10
    assert [r.kernel for r in made.refused] == ["_Z5blendPf"]
    for kernel in made.kernels:
        assert kernel.sass[0].address == 0 and kernel.machine[0].address == 0
        assert kernel.machine[-1].text in ("s_endpgm", "s_nop 0") or "s_endpgm" in [m.text for m in kernel.machine]
        assert {node.start for node in kernel.graph} <= {line.address for line in kernel.sass}
        assert int(kernel.facts["VGPRs"]) > 0 and 0 < kernel.occupancy.waves <= 32


def test_rdna3_knows_the_sass_that_it_was_made_from(made: Report) -> None:
    for kernel in made.kernels:
        assert kernel.linked
        addresses = {line.address for line in kernel.sass}
        known = [line for line in kernel.machine if line.sass >= 0]
        assert {line.sass for line in known} <= addresses
        assert known
    (integers,) = [kernel for kernel in made.kernels if kernel.name == "integers"]
    assert sum(line.sass >= 0 for line in integers.machine) > 0.7 * len(integers.machine)
    stores = {line.address for line in integers.sass if line.text.startswith("STG")}
    assert {line.sass for line in integers.machine if line.text.startswith("global_store")} <= stores


def test_text_for_the_terminal(program: Path) -> None:
    lines: list[str] = []
    assert subcommands.run(["inspect", "--details", "--kernel", "integers", str(program)], lines.append) == 0
    assert any("occupancy, estimated" in line for line in lines)
    assert any("STG" in line and "|" in line for line in lines)
    assert lines[-1].startswith("refused    blend(float*) (sm_80): unsupported instruction")


def test_the_page_holds_everything_and_loads_nothing(program: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    assert subcommands.run(["inspect", "--html", str(page), str(program)], print) == 0
    text = page.read_text()
    assert "https:" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<link" not in text and "src=" not in text and "/*DATA*/" not in text
    assert text.count("</script>") == 2  # nothing in the data ends the script


# In a browser ------------------------------------------------------------------------------------------------------
class Browser:
    """Chromium over a pipe, by its DevTools protocol: messages in JSON that end with a NUL."""

    def __init__(self, path: str, folder: Path) -> None:
        commands, self._write = os.pipe()
        self._read, replies = os.pipe()

        def places() -> None:
            os.dup2(commands, 3)
            os.dup2(replies, 4)

        words = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        words += [f"--user-data-dir={folder}", "--window-size=1400,1000", "about:blank"]
        self._process = subprocess.Popen(
            words, preexec_fn=places, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(commands)
        os.close(replies)
        self._number = 0
        self._buffer = b""
        self._session = ""
        (target,) = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self._session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")

    def ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._number:
                assert "error" not in reply, reply
                return reply["result"]

    def _next(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, *, dark: bool = False) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.ask("Page.navigate", url=path.as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        self.ask("Page.bringToFront")

    def value(self, script: str) -> Any:
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is on PATH; apt-get install chromium brings it")
    started = Browser(path, tmp_path / "profile")
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(made: Report, program: Path) -> Path:
    path = program.with_suffix(".html")
    html.write(made, str(path))
    return path


def test_the_page_is_used_by_keys_alone(browser: Browser, page: Path) -> None:
    browser.open(page)
    kernels = browser.value("report.kernels.length")
    assert browser.value("document.querySelectorAll('#kernels tbody tr').length") == kernels
    browser.press("j")
    assert browser.value("location.hash") == "#k1"
    assert browser.value("document.activeElement.id") == "kernel-title"
    assert "differs" in browser.value("at('verdict').textContent")
    assert "</script><b>02" in browser.value("at('verdict').textContent")
    assert browser.value("at('verdict').querySelector('b')") is None
    browser.press("s", "ArrowDown", "ArrowDown")
    assert browser.value("document.activeElement.id") == "sass"
    assert browser.value("panes.sass.selected") == 2
    owner = browser.value("panes.machine.lines.find((line) => line.owners.length).owners[0]")
    browser.value(f"select('sass', {owner})")
    assert browser.value("document.querySelectorAll('#machine .on').length") > 0
    assert browser.value("document.querySelectorAll('#graph .on').length") == 1
    browser.press("ArrowRight")
    assert browser.value("document.activeElement.id") == "machine"
    assert browser.value(f"panes.machine.lines[panes.machine.selected].owners.includes({owner})")
    browser.press("/")
    for letter in "halves":
        browser.ask("Input.insertText", text=letter)
    assert browser.value("document.querySelectorAll('#kernels tbody tr').length") == 1
    browser.press("Escape")
    assert browser.value("document.querySelectorAll('#kernels tbody tr').length") == kernels
    browser.press("?")
    assert browser.value("at('keys').open") is True


def test_light_and_dark(browser: Browser, page: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    light = browser.value(paper)
    browser.press("t", "t")
    assert browser.value("document.documentElement.dataset.theme") == "dark"
    dark = browser.value(paper)
    assert light != dark
    browser.open(page, dark=True)
    assert browser.value(paper) == dark
    assert len(browser.picture()) > 20_000
    browser.press("t")
    assert browser.value(paper) == light


def test_listings_stay_within_the_page(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.value("document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.value(
        "[...document.querySelectorAll('button, input')].every((e) => e.textContent || e.labels.length)"
    )
