"""The pages that are generated are up to date, and the links between pages lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", ["diagnostics.md", "instructions.md", "options.md", "support.md"])
def test_generated_page_is_up_to_date(name: str) -> None:
    module = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert (ROOT / "docs" / name).read_text() == module["PAGES"][name](), "run: python docs/generate.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
