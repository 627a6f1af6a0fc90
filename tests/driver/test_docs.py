"""The pages that are generated are up to date, and the links between pages lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from cassc import toolchain

ROOT = Path(__file__).parents[2]
MODULE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", sorted(MODULE["PAGES"]))
def test_generated_page_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == MODULE["PAGES"][name](), "run: python docs/generate.py"


def test_page_of_interfaces_is_up_to_date() -> None:
    runtime = toolchain.find_runtime()
    module = runpy.run_path(str(ROOT / "docs" / "generate_api.py"))
    if runtime is None or not all((runtime / name).exists() for name in module["LIBRARIES"]):
        pytest.skip("the libraries are not built (set CASSC_LIBDIR, or install the package)")
    assert (ROOT / "docs" / "api.md").read_text() == module["page"](runtime), "run: python docs/generate_api.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
