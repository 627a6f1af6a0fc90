"""CMake files from the CUDA language to the HIP language: words are replaced, comments and layout stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cassc.diag import Diagnostic, Location, Severity
from cassc.hip.tokens import Edit, Lines, apply

_WORD = re.compile(
    r"""(?P<bracket>\[(?P<eq>=*)\[.*?\](?P=eq)\])|(?P<comment>\#[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")|(?P<word>[^\s()"#]+)""",
    re.DOTALL | re.VERBOSE,
)

_WORDS = {
    "CUDA": "HIP",
    "CUDAToolkit": "hip",
    "CUDA_ARCHITECTURES": "HIP_ARCHITECTURES",
    "CUDA_STANDARD": "HIP_STANDARD",
    "CUDA_STANDARD_REQUIRED": "HIP_STANDARD_REQUIRED",
    "CUDA_EXTENSIONS": "HIP_EXTENSIONS",
    "CMAKE_CUDA_ARCHITECTURES": "CMAKE_HIP_ARCHITECTURES",
    "CMAKE_CUDA_STANDARD": "CMAKE_HIP_STANDARD",
    "CMAKE_CUDA_STANDARD_REQUIRED": "CMAKE_HIP_STANDARD_REQUIRED",
    "CMAKE_CUDA_EXTENSIONS": "CMAKE_HIP_EXTENSIONS",
    "CMAKE_CUDA_FLAGS": "CMAKE_HIP_FLAGS",
    "CMAKE_CUDA_FLAGS_RELEASE": "CMAKE_HIP_FLAGS_RELEASE",
    "CMAKE_CUDA_FLAGS_DEBUG": "CMAKE_HIP_FLAGS_DEBUG",
    "CMAKE_CUDA_COMPILER": "CMAKE_HIP_COMPILER",
    "CMAKE_CUDA_COMPILER_ID": "CMAKE_HIP_COMPILER_ID",
    "CUDA::cudart": "hip::host",
    "CUDA::cudart_static": "hip::host",
    "CUDA::cublas": "roc::hipblas",
    "CUDA::cufft": "hip::hipfft",
    "CUDA::curand": "hip::hiprand",
    "CUDA::cusparse": "roc::hipsparse",
    "CUDA::cusolver": "roc::hipsolver",
    "CUDA::nvrtc": "hiprtc::hiprtc",
}
# Options that clang lacks; of generator expressions, what stands behind the colon.
_OPTIONS = {"--use_fast_math": "-ffast-math", "-use_fast_math": "-ffast-math", "-lineinfo": "-gline-tables-only"}
_NVCC_OPTION = re.compile(
    r"--?(?:arch=|gpu-architecture|gencode|generate-code|code=|expt-|extended-lambda|Xcompiler|Xptxas|Xcudafe|maxrregcount|"
    r"rdc|relocatable-device-code|dc$|dlink|default-stream|compiler-options|ptxas-options|cudart|fmad|ftz|prec-|diag-|G$)"
)
_ARCHITECTURES = ("CMAKE_CUDA_ARCHITECTURES", "CUDA_ARCHITECTURES")
_GONE = re.compile(
    r"cuda_\w+|\$\{CUDA_\w+\}|CUDA_(?:LIBRARIES|INCLUDE_DIRS|NVCC_FLAGS|TOOLKIT_ROOT_DIR)|CUDA_SEPARABLE_COMPILATION|CUDA_RESOLVE_DEVICE_SYMBOLS|CUDA_RUNTIME_LIBRARY|CUDA::\w+|FindCUDA"
)


@dataclass(frozen=True, slots=True)
class ConvertedCMake:
    text: str
    diagnostics: tuple[Diagnostic, ...]


def convert(text: str, title: str) -> ConvertedCMake:
    """Sources ``x.cu`` become ``x.hip``, as the sources themselves do."""
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    lines = Lines(text)

    def say(begin: int, severity: Severity, message: str) -> None:
        line, column = lines.place(len(text[:begin].encode(errors="surrogateescape")))
        diagnostics.append(Diagnostic(severity, "hipify-cmake", message, Location(title, line, column)))

    previous = last = ""
    for begin, end, word in _words(text):
        new = (
            ("hip" if word == "CUDA" and last == "find_package" else None)
            or _WORDS.get(word)
            or _OPTIONS.get(word)
            or _within(word)
        )
        if new is not None and new != word:
            edits.append(_edit(text, begin, end, new))
        elif _GONE.fullmatch(word):
            say(begin, Severity.ERROR, f"'{word}' has no counterpart for the HIP language")
        if previous in _ARCHITECTURES and re.match(r"\d|native|all", word):
            target = "native" if word == "native" else "gfx1100"
            edits.append(_edit(text, begin, end, target))
            if target != word:
                say(
                    begin,
                    Severity.WARNING,
                    f"architecture '{word}' becomes '{target}': name the AMD chips that you want",
                )
        elif _NVCC_OPTION.match(option := word.rpartition(">:")[2].rstrip(">")):
            say(begin, Severity.ERROR, f"nvcc's option '{option}' is none of clang's")
        last = word
        previous = word if word in _ARCHITECTURES or not re.match(r"\d", word) else previous
    return ConvertedCMake(apply(text, edits), tuple(diagnostics))


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Words outside comments; of strings, what is between the quotes."""
    for match in _WORD.finditer(text):
        if match["word"]:
            yield match.start(), match.end(), match["word"]
        elif match["string"]:
            yield match.start() + 1, match.end() - 1, match["string"][1:-1]


def _within(word: str) -> str | None:
    """Generator expressions, variables in a word, and names of sources."""
    new = re.sub(r"(\$<(?:COMPILE_LANGUAGE|COMPILE_LANG_AND_ID|LINK_LANGUAGE):)CUDA\b", r"\1HIP", word)
    new = re.sub(r"\$\{(\w+)\}", lambda m: "${" + _WORDS.get(m[1], m[1]) + "}", new)
    new = re.sub(r"(?<=[\w*])\.cu$", ".hip", new)
    new = re.sub(r"(?<=:)--?use_fast_math\b", "-ffast-math", new)
    return new if new != word else None


def _edit(text: str, begin: int, end: int, new: str) -> Edit:
    size = len(text[:begin].encode(errors="surrogateescape"))
    return Edit(size, size + len(text[begin:end].encode(errors="surrogateescape")), new)
