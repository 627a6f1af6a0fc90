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
    "CUDAToolkit_FOUND": "hip_FOUND",
    "CUDAToolkit_INCLUDE_DIRS": "hip_INCLUDE_DIRS",
    "CUDA::cudart": "hip::host",
    "CUDA::cudart_static": "hip::host",
    "CUDA::cuda_driver": "hip::host",
    "CUDA::cublas": "roc::hipblas",
    "CUDA::cublasLt": "roc::hipblaslt",
    "CUDA::cufft": "hip::hipfft",
    "CUDA::curand": "hip::hiprand",
    "CUDA::cusparse": "roc::hipsparse",
    "CUDA::cusolver": "roc::hipsolver",
    "CUDA::nvrtc": "hiprtc::hiprtc",
    "CUDA::nvToolsExt": "roctx64",
    "CUDA::nvtx3": "roctx64",
}
# CMake's own variables that both languages have (CMake 3.31, cmake-variables(7)).
_OF_LANGUAGE = re.compile(
    r"CMAKE_CUDA_(?=(?:ARCHITECTURES|STANDARD|STANDARD_REQUIRED|EXTENSIONS|FLAGS|FLAGS_\w+|COMPILER|COMPILER_ID|COMPILER_VERSION"
    r"|COMPILER_LAUNCHER|LINKER_LAUNCHER|VISIBILITY_PRESET|CLANG_TIDY|SOURCE_FILE_EXTENSIONS|IMPLICIT_LINK_LIBRARIES)$)"
)
_FEATURE = re.compile(r"cuda_std_(?=\d\d$)")
# Libraries that are linked by their plain names.
_LIBRARIES = {
    "cudart": "amdhip64",
    "cudart_static": "amdhip64",
    "cuda": "amdhip64",
    "cublas": "hipblas",
    "cublasLt": "hipblaslt",
    "cufft": "hipfft",
    "curand": "hiprand",
    "cusparse": "hipsparse",
    "cusolver": "hipsolver",
    "cudnn": "MIOpen",
    "nccl": "rccl",
    "nvrtc": "hiprtc",
    "nvToolsExt": "roctx64",
}
_LINKING = ("target_link_libraries", "link_libraries")
# Packages that targets come from, besides that of HIP itself.
_PACKAGES = {
    "roc::hipblas": "hipblas",
    "roc::hipblaslt": "hipblaslt",
    "hip::hipfft": "hipfft",
    "hip::hiprand": "hiprand",
    "roc::hipsparse": "hipsparse",
    "roc::hipsolver": "hipsolver",
    "hiprtc::hiprtc": "hiprtc",
}
# Options that clang lacks; of generator expressions, what stands behind the colon.
_OPTIONS = {"--use_fast_math": "-ffast-math", "-use_fast_math": "-ffast-math", "-lineinfo": "-gline-tables-only"}
_NVCC_OPTION = re.compile(
    r"--?(?:arch=|gpu-architecture|gencode|generate-code|code=|expt-|extended-lambda|Xcompiler|Xptxas|Xcudafe|maxrregcount|"
    r"rdc|relocatable-device-code|dc$|dlink|default-stream|compiler-options|ptxas-options|cudart|fmad|ftz|prec-|diag-|G$)"
)
_ARCHITECTURES = ("CMAKE_CUDA_ARCHITECTURES", "CUDA_ARCHITECTURES")
_GONE = re.compile(
    r"cuda_\w+|.*\$\{(?:CMAKE_)?CUDA(?:Toolkit)?_\w+\}.*|CUDA_(?:LIBRARIES|INCLUDE_DIRS|NVCC_FLAGS|TOOLKIT_ROOT_DIR|SEPARABLE_COMPILATION"
    r"|RESOLVE_DEVICE_SYMBOLS|RUNTIME_LIBRARY|PTX_COMPILATION|CUBIN_COMPILATION|FATBIN_COMPILATION)|CMAKE_CUDA_\w+|CUDAToolkit_\w+"
    r"|CUDA::\w+|FindCUDA"
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

    previous = last = command = ""
    packages: dict[str, None] = {}
    skip = 0
    found = None  # where the call that finds CUDA ends
    for begin, end, word in _words(text):
        if text[end : end + 1] == "(" or re.match(r"[ \t]*\(", text[end:]):
            command = word
        if last == "find_package" and word in ("CUDA", "CUDAToolkit"):
            # HIP has versions of its own, and no components.
            closing = text.find(")", end)
            rest = text[end:closing]
            required = " REQUIRED" if "REQUIRED" in rest.split() else ""
            edits.append(_edit(text, begin, closing, "hip" + required))
            found = closing + 1 if found is None else found
            skip = closing
            last = word
            continue
        if begin < skip:
            continue
        new = _WORDS.get(word) or _OPTIONS.get(word) or _within(word)
        if command in _LINKING and new is None:
            library = _LIBRARIES.get(word.removeprefix("-l"))
            new = "-l" + library if library and word.startswith("-l") else library
        if new is not None and new != word:
            edits.append(_edit(text, begin, end, new))
            if new in _PACKAGES:
                packages[_PACKAGES[new]] = None
        if _GONE.fullmatch(word if new is None else new):
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
    if packages and found is not None:
        edits.append(_edit(text, found, found, "".join(f"\nfind_package({name} REQUIRED)" for name in packages)))
    elif packages:
        names = ", ".join(packages)
        say(0, Severity.WARNING, f"the libraries come from packages that nothing here finds: {names}")
    return ConvertedCMake(apply(text, edits), tuple(sorted(diagnostics, key=_place)))


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    assert diagnostic.location is not None
    return diagnostic.location.line or 0, diagnostic.location.column or 0


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
    new = re.sub(r"\$\{(\w+)\}", lambda m: "${" + _WORDS.get(m[1], _OF_LANGUAGE.sub("CMAKE_HIP_", m[1])) + "}", new)
    new = _FEATURE.sub("hip_std_", _OF_LANGUAGE.sub("CMAKE_HIP_", new))
    new = re.sub(r"(?<=[\w*])\.cu$", ".hip", new)
    new = re.sub(r"(?<=:)--?use_fast_math\b", "-ffast-math", new)
    return new if new != word else None


def _edit(text: str, begin: int, end: int, new: str) -> Edit:
    size = len(text[:begin].encode(errors="surrogateescape"))
    return Edit(size, size + len(text[begin:end].encode(errors="surrogateescape")), new)
