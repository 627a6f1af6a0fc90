"""The pages that are generated are up to date, and the links between pages lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_diagnostics_page_is_up_to_date() -> None:
    module = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert module["PAGE"].read_text() == module["page"](), "run: python docs/generate.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
