"""Start of an installed package: the modules for this Python, and those for all."""

import sys
from pathlib import Path

home = Path(__file__).resolve().parent
own = home / f"python{sys.version_info[0]}.{sys.version_info[1]}"
if not own.is_dir():
    names = ", ".join(sorted(path.name.removeprefix("python") for path in home.glob("python*")))
    sys.exit(f"cassc: error: this package has no modules for {sys.executable}; it has them for Python {names}")
sys.path[:1] = [str(home / "common"), str(own)]  # in the place of this folder

from cassc.cli import main  # noqa: E402

sys.exit(main())
