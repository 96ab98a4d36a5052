"""`PYTHON -I render.py`: makes texts of templates, and looks for patterns in texts.

One JSON object a line on standard input, one a line in answer:

    {"render": [NAME...], "templates": {NAME: TEXT}, "values": {NAME: TEXT}}  ->  {"texts": [...]}
    {"search": [PATTERN...], "in": TEXT}                                      ->  {"found": [...]}

or {"error": SENTENCE, "at": which template or pattern}. The first line that it writes says that it
is ready. Each request is worked on in a process of its own, which has 2 s of CPU time, 512 MiB of
address space and room for 2^20 characters: templates and patterns may be a stranger's. Values are
texts and stay texts: whatever looks like a template in them is none.
"""

import base64
import gc
import json
import os
import re
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

CPU_SECONDS = 2
ADDRESS_BYTES = 512 << 20
MOST_BYTES = 1 << 20  # of what is made of one request, as UTF-8
# The answer is JSON, in which one byte may take six.
MOST_ANSWER_BYTES = 6 * MOST_BYTES + 4096

TOO_MUCH_MEMORY = f"it asks for more than {ADDRESS_BYTES >> 20} MiB of memory"
TOO_SLOW = f"it takes more than {CPU_SECONDS} s of CPU time"
TOO_LONG = f"it makes more than {MOST_BYTES >> 20} MiB of text"


class TooSlow(Exception):
    pass


class Refused(Exception):
    """What is wrong with a request, and where."""

    def __init__(self, why: str, at: str) -> None:
        super().__init__(why)
        self.at = at


def out_of_time(signal_number: int, frame: Any) -> None:
    raise TooSlow(TOO_SLOW)


def where(error: BaseException, templates: dict[str, str], loaded: list[str]) -> str:
    """The template and the line that an error comes from, as far as its traceback tells."""
    place = loaded[-1] if loaded else ""
    line = getattr(error, "lineno", None)
    if line is not None:
        return f"{getattr(error, 'name', None) or place}, line {line}"
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in templates:
            place = f"{trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place


class Templates:
    """jinja2 over the templates of one request. What it compiles of them is kept for later ones."""

    def __init__(self) -> None:
        import jinja2
        from jinja2.bccache import Bucket, BytecodeCache
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        self.texts: dict[str, str] = {}
        self.loaded: list[str] = []
        self.compiled: dict[str, bytes] = {}  # by name and text
        self.new: dict[str, bytes] = {}
        outer = self

        class Compiled(BytecodeCache):
            def load_bytecode(self, bucket: Bucket) -> None:
                if found := outer.compiled.get(bucket.key + bucket.checksum):
                    bucket.bytecode_from_string(found)

            def dump_bytecode(self, bucket: Bucket) -> None:
                outer.new[bucket.key + bucket.checksum] = bucket.bytecode_to_string()

        self.environment = ImmutableSandboxedEnvironment(
            loader=jinja2.FunctionLoader(self.load),
            undefined=jinja2.StrictUndefined,
            bytecode_cache=Compiled(),
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self.environment.globals.pop("lipsum")  # the same request gives the same text
        self.environment.filters.pop("random")

    def load(self, name: str) -> tuple[str, str, None]:
        if name not in self.texts:
            raise Refused(f"there is no template '{name}'", self.loaded[-1] if self.loaded else "")
        self.loaded.append(name)
        return self.texts[name], name, None

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        import jinja2

        self.texts = request["templates"]
        values: dict[str, str] = request["values"]
        if not all(isinstance(text, str) for text in values.values()):
            raise Refused("a value is no text", "")
        texts, size = [], 0
        try:
            for name in request["render"]:
                pieces = []
                for piece in self.environment.get_template(name).generate(values):
                    size += len(piece)
                    if size > MOST_BYTES:
                        raise Refused(TOO_LONG, name)
                    pieces.append(piece)
                texts.append("".join(pieces))
        except Refused:
            raise
        except (MemoryError, RecursionError, TooSlow, jinja2.TemplateError) as error:
            raise Refused(said_of(error), where(error, self.texts, self.loaded)) from error
        except Exception as error:  # a template may do anything that the sandbox allows
            why = f"{type(error).__name__}: {error}"
            raise Refused(why, where(error, self.texts, self.loaded)) from error
        return {"texts": texts}


def said_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return TOO_MUCH_MEMORY
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return " ".join((getattr(error, "message", None) or str(error)).split()) or type(error).__name__


def search(request: dict[str, Any]) -> dict[str, Any]:
    found = []
    for index, pattern in enumerate(request["search"]):
        try:
            if re.search(pattern, request["in"], re.IGNORECASE):
                found.append(index)
        except re.error as error:
            raise Refused(f"it is no regular expression: {error}", pattern) from error
        except TooSlow as error:
            raise Refused(TOO_SLOW, pattern) from error
        except (MemoryError, RecursionError) as error:
            raise Refused(said_of(error), pattern) from error
    return {"found": found}


def answer(templates: Templates, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return templates.render(request) if "render" in request else search(request)
    except Refused as error:
        return {"error": str(error), "at": error.at}
    except TooSlow as error:
        return {"error": str(error), "at": ""}
    except MemoryError:
        return {"error": TOO_MUCH_MEMORY, "at": ""}


def in_a_child(work: Callable[[], list[bytes]]) -> list[bytes]:
    """What `work` gives, lines that it makes in a child with limits."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read_end)
            signal.signal(signal.SIGXCPU, out_of_time)
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
            with os.fdopen(write_end, "wb") as stream:
                stream.write(b"\n".join(work()))
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    pieces, size = [], 0
    with os.fdopen(read_end, "rb", buffering=0) as stream:
        while piece := stream.read(1 << 16):
            size += len(piece)
            if size > MOST_ANSWER_BYTES:
                os.kill(child, signal.SIGKILL)
                break
            pieces.append(piece)
    _, status = os.waitpid(child, 0)
    if size > MOST_ANSWER_BYTES:
        return [json.dumps({"error": TOO_LONG, "at": ""}).encode()]
    if status != 0:
        # The hard limit of CPU time ends it where no Python runs in between.
        signal_number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        why = TOO_SLOW if signal_number == signal.SIGKILL else TOO_MUCH_MEMORY
        return [json.dumps({"error": why, "at": ""}).encode()]
    return b"".join(pieces).split(b"\n")


def main() -> int:
    out = sys.stdout.buffer
    try:
        templates = Templates()
    except ImportError as error:
        out.write(json.dumps({"error": f"{error}", "at": sys.executable}).encode() + b"\n")
        return 1
    out.write(b'{"ready": true}\n')
    out.flush()
    # Children share the memory that is there now, as long as nobody writes to it.
    gc.disable()
    gc.freeze()

    def work(request: dict[str, Any]) -> list[bytes]:
        said = json.dumps(answer(templates, request)).encode()
        compiled = {key: base64.b64encode(code).decode() for key, code in templates.new.items()}
        return [said, json.dumps(compiled).encode()]

    for line in sys.stdin.buffer:
        said, *compiled = in_a_child(partial(work, json.loads(line)))
        out.write(said + b"\n")
        out.flush()
        # They are code only to the children that run them.
        for key, code in json.loads(compiled[0]).items() if compiled else ():
            templates.compiled[key] = base64.b64decode(code)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
