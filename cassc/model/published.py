"""Published CASS checkpoints: a local folder in Hugging Face form, or a server that speaks OpenAI's protocol.

torch and transformers (the extra ``model``) are imported when a folder is used. The weights are not part of cassc.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Protocol

from cassc import diag
from cassc.model.prompt import Message, Task
from cassc.target import SmArch

MOST_CONTEXT = 32768
"""Tokens of question and answer together that the context is stretched to."""
_TRAINED_FOR = {"smA100": 80, "sm4090": 89}
_SOURCE = r"(^|\W|_)src(\W|_|$)"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which model `cassc model use` has chosen.

    Attributes:
        place: a folder with one checkpoint, or with several (one for each GPU that CASS has models of), or a URL.
        name: of the model, for a server.
        form: ``bf16``, ``fp32``, ``int8`` or ``int4``; empty for what suits the device.
        most_tokens: of an answer.
        temperature: of the attempts after the first, which is greedy.
    """

    place: str
    name: str = ""
    form: str = ""
    most_tokens: int = 8192
    temperature: float = 0.7

    @property
    def is_server(self) -> bool:
        return self.place.startswith(("http://", "https://"))

    def save(self, file: Path) -> None:
        """Raises CasscError ``model-bad-choice``."""
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(asdict(self), indent=1) + "\n")
        except OSError as problem:
            message = f"the choice cannot be written to '{file}': {problem.strerror}"
            raise diag.error("model-bad-choice", message) from problem

    @classmethod
    def load(cls, file: Path) -> Choice | None:
        """None if none was made. Raises CasscError ``model-bad-choice``."""
        try:
            found = cls(**json.loads(file.read_text()))
            for name, example in asdict(cls("")).items():
                if not isinstance(getattr(found, name), type(example)):
                    raise TypeError(f"{name!r} is no {type(example).__name__}")
            return found
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as problem:
            raise diag.error(
                "model-bad-choice",
                f"'{file}' cannot be read: {problem}",
                notes=[diag.note("to forget it: cassc model forget")],
            ) from problem


class Chat(Protocol):
    def ask(self, messages: Sequence[Message], seed: int) -> str:
        """The model's text. Seed 0 is greedy. Raises CasscError."""


def checkpoints(place: Path) -> list[Path]:
    """A folder itself if it is a checkpoint, else those in it. Raises CasscError ``model-none``."""
    if (place / "config.json").is_file():
        return [place]
    found = [file.parent for file in sorted(place.glob("*/config.json"))]
    if not found:
        raise diag.error("model-none", f"'{place}' holds no checkpoint: there is no config.json in it")
    return found


def checkpoint(place: Path, sm: SmArch, task: Task = Task.ASSEMBLY) -> Path:
    """The checkpoint for a task: CASS has models of assembly for the A100 and the RTX 4090, and models of source.

    In a folder of several, by their names (``smA100``, ``sm4090``, ``src``); of assembly the one whose architecture is
    nearest. A folder that is a checkpoint itself is taken for any task. Raises CasscError ``model-none``.
    """
    found = checkpoints(place)
    if found == [place]:
        return place
    fitting = [folder for folder in found if bool(re.search(_SOURCE, folder.name, re.I)) == (task is Task.SOURCE)]
    if not fitting:
        names = ", ".join(folder.name for folder in found)
        raise diag.error("model-none", f"'{place}' holds no checkpoint that translates {task.name.lower()}: {names}")

    def distance(folder: Path) -> tuple[int, str]:
        named = next((number for tag, number in _TRAINED_FOR.items() if re.search(tag, folder.name, re.I)), 80)
        return abs(named - sm.number), folder.name

    return min(fitting, key=distance)


def chat(choice: Choice, sm: SmArch, task: Task = Task.ASSEMBLY) -> Chat:
    """Raises CasscError ``model-none``, ``model-no-extra``, ``model-bad-checkpoint``."""
    if choice.is_server:
        return Server(choice)
    return Local(checkpoint(Path(choice.place), sm, task), choice)


class Server:
    """``POST <url>/v1/chat/completions``: vLLM, llama.cpp and others."""

    def __init__(self, choice: Choice, timeout_s: float = 3600) -> None:
        self.choice = choice
        self.timeout_s = timeout_s

    def ask(self, messages: Sequence[Message], seed: int) -> str:
        choice = self.choice
        body = {
            "model": choice.name or "default",
            "messages": [asdict(message) for message in messages],
            "max_tokens": choice.most_tokens,
            "temperature": choice.temperature if seed else 0.0,
            "seed": seed,
        }
        url = choice.place.rstrip("/").removesuffix("/v1") + "/v1/chat/completions"
        try:
            request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=self.timeout_s) as reply:
                answer = json.load(reply)
            content = answer["choices"][0]["message"]["content"]
            if not isinstance(content, str):
                raise TypeError("the message has no text")
            return content
        except (OSError, HTTPException, ValueError, KeyError, IndexError, TypeError, RecursionError) as problem:
            raise diag.error("model-server", f"the server at '{choice.place}' gives no answer: {problem}") from problem


class Local:
    """A checkpoint in a folder, through transformers."""

    def __init__(self, folder: Path, choice: Choice) -> None:
        """Raises CasscError ``model-no-extra``, ``model-bad-checkpoint``."""
        self._torch, transformers = _needed("torch"), _needed("transformers")
        quantised = choice.form in ("int8", "int4")
        for name in ("accelerate", "bitsandbytes") if quantised else ():
            _needed(name)
        transformers.utils.logging.disable_progress_bar()
        self.choice = choice
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        settings: dict[str, Any] = {"local_files_only": True}
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **settings)
            config = transformers.AutoConfig.from_pretrained(folder, **settings)
            self.context = stretched(config)
            self.model = transformers.AutoModelForCausalLM.from_pretrained(
                folder, config=config, **settings, **self._precision(transformers), **self._placement(quantised)
            )
            if not getattr(self.model, "hf_device_map", None):
                self.model.to(self.device)
        except Exception as problem:  # what is wrong with a file, or too much for the hardware, may raise anything
            held = f" as {choice.form}" if choice.form else ""
            message = f"'{folder}' cannot be loaded{held} on this machine: {_first_line(problem)}"
            raise diag.error("model-bad-checkpoint", message) from problem
        self.model.eval()

    def _precision(self, transformers: Any) -> dict[str, Any]:
        torch = self._torch
        form = self.choice.form or ("bf16" if self.device == "cuda" else "fp32")
        if form == "int8":  # whose products are of half precision
            config = transformers.BitsAndBytesConfig(load_in_8bit=True)
            return {"quantization_config": config, "dtype": torch.float16}
        if form == "int4":
            config = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
            return {"quantization_config": config, "dtype": torch.bfloat16}
        return {"dtype": torch.bfloat16 if form == "bf16" else torch.float32}

    def _placement(self, quantised: bool) -> dict[str, Any]:
        """Over all GPUs, and the CPU's memory behind them, where accelerate is there to do so."""
        spread = self.device == "cuda" and importlib.util.find_spec("accelerate") is not None
        return {"device_map": "auto"} if quantised or spread else {}

    def ask(self, messages: Sequence[Message], seed: int) -> str:
        torch, choice = self._torch, self.choice
        turns = [asdict(message) for message in messages]
        text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        inputs = self.tokenizer(text, return_tensors="pt", add_special_tokens=False).to(self.device)
        length = inputs["input_ids"].shape[1]
        room = self.context - length
        if room < 16:
            raise diag.error("model-too-long", f"the question has {length} tokens, the model's context {self.context}")
        sampling: dict[str, Any] = {"do_sample": False}
        if seed:
            torch.manual_seed(seed)
            sampling = {"do_sample": True, "temperature": choice.temperature, "top_p": 0.95}
        try:
            with torch.inference_mode():
                made = self.model.generate(
                    **inputs,
                    max_new_tokens=min(choice.most_tokens, room),
                    pad_token_id=self.tokenizer.pad_token_id,
                    **sampling,
                )
        except (RuntimeError, NotImplementedError) as problem:  # too little memory; an operation that the device lacks
            raise diag.error("model-failed", f"the model failed on {self.device}: {_first_line(problem)}") from problem
        return str(self.tokenizer.decode(made[0, length:], skip_special_tokens=True))


def _needed(name: str) -> Any:
    """A module of another package. Raises CasscError ``model-no-extra``."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        extras = "model,quantised" if name in ("accelerate", "bitsandbytes") else "model"
        cure = diag.note(f"to install it: pip install 'cassc[{extras}]'")
        missing = problem.name or name
        raise diag.error("model-no-extra", f"published checkpoints need {missing}", notes=[cure]) from problem


def _first_line(problem: Exception) -> str:
    return next((line for line in str(problem).splitlines() if line.strip()), type(problem).__name__)


def stretched(config: Any) -> int:
    """Make rotary positions reach `MOST_CONTEXT` (YaRN) where the checkpoint was trained on fewer; the context."""
    trained = int(getattr(config, "max_position_embeddings", MOST_CONTEXT))
    if trained >= MOST_CONTEXT:
        return trained
    scaling = dict(getattr(config, "rope_scaling", None) or {})
    scaling |= {
        "rope_type": "yarn",
        "factor": MOST_CONTEXT / trained,
        "original_max_position_embeddings": trained,
    }
    config.rope_scaling = scaling
    config.max_position_embeddings = MOST_CONTEXT
    return MOST_CONTEXT
