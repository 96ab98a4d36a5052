"""Models of the package `transformers`: built from their configuration, with nothing downloaded.

A problem may say `AutoModel.from_pretrained(name, config=config)`. What it computes follows from
the configuration; the weights behind the name are gigabytes that an export never looks at. So
`from_pretrained` builds the model with drawn weights, and no sizes are ever guessed from a name:
without a configuration, given or in the local cache, the problem fails and says what it needs.
"""

import copy
import hashlib
import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from torch.utils import _pytree as pytree

from assay_worker.failure import Explained, Unsupported
from assay_worker.protocol import Message

# How weights are found, read and placed: without meaning for weights that are drawn.
_ABOUT_WEIGHTS = frozenset(
    """device_map disable_mmap force_download generation_config ignore_mismatched_sizes
    low_cpu_mem_usage max_memory offload_buffers offload_folder use_safetensors variant
    weights_only""".split()
)


# Far below the limit of a frame.
MAX_FILES = 64
MAX_NAME_CHARACTERS = 128

_read: dict[str, str] = {}  # SHA-256 by name, of this process


class HubUnreachable(Explained, OSError):
    """A file is neither in the local cache nor here to get. An OSError, as transformers' own is."""


def stay_offline() -> None:
    """Keeps this process from the hub, and patches transformers as soon as a problem imports it."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when huggingface_hub is imported
    sys.meta_path.insert(0, _PatchingFinder())


def files_read() -> list[Message]:
    """The files that transformers was given in this process, as [{"name", "sha256"}].

    A name is that of the repository, or the local folder, and of the file: "gpt2/config.json".
    """
    return [{"name": name, "sha256": _read[name]} for name in sorted(_read)[:MAX_FILES]]


def _note(name: str, path: str) -> None:
    with open(path, "rb") as file:
        _read[name[-MAX_NAME_CHARACTERS:]] = hashlib.sha256(file.read()).hexdigest()


class _PatchingFinder(MetaPathFinder):
    """Finds the modules in _PATCHES where they are, and patches each when it has been executed."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        patch = _PATCHES.get(name)
        spec = PathFinder.find_spec(name, path, target) if patch else None
        if patch is None or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_patch(module: ModuleType) -> None:
            execute(module)
            patch(module)

        spec.loader.exec_module = execute_and_patch  # type: ignore[method-assign]
        return spec


def _patch_downloads(hub: Any) -> None:
    """transformers.utils.hub: every file that is not a local one is asked for here."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    original = hub.cached_files

    def cached_files(path_or_repo_id: Any, *arguments: Any, **options: Any) -> Any:
        try:
            found = original(path_or_repo_id, *arguments, **options)
        except OSError as error:
            if not isinstance(error.__cause__, LocalEntryNotFoundError):
                raise
            raise HubUnreachable(
                f"needs files of '{path_or_repo_id}' from the Hugging Face hub: the local cache "
                "has none, and nothing is downloaded here; build the model from a config, "
                f"from_config(...), or run `hf download {path_or_repo_id} config.json` first"
            ) from error
        for path in found or ():
            _note(f"{path_or_repo_id}/{os.path.basename(path)}", path)
        return found

    hub.cached_files = cached_files


def _patch_models(modeling: Any) -> None:
    """transformers.modeling_utils: the base of all models."""

    def from_pretrained(
        cls: Any, /, pretrained_model_name_or_path: Any, *, config: Any = None, **options: Any
    ) -> Any:
        name = pretrained_model_name_or_path
        return _build(cls._from_config, cls.config_class, name, config, options)

    modeling.PreTrainedModel.from_pretrained = classmethod(from_pretrained)


def _patch_auto_models(factory: Any) -> None:
    """transformers.models.auto.auto_factory: AutoModel and the like."""

    def from_pretrained(
        cls: Any, /, pretrained_model_name_or_path: Any, *, config: Any = None, **options: Any
    ) -> Any:
        name = pretrained_model_name_or_path
        return _build(cls.from_config, factory.AutoConfig, name, config, options)

    factory._BaseAutoModelClass.from_pretrained = classmethod(from_pretrained)


def _patch_caches(caches: Any) -> None:
    """transformers.cache_utils: lets a model return its cache, as most do unless told not to."""

    def flatten(cache: Any) -> tuple[list[Any], None]:
        for layer in cache.layers:
            if type(layer) is not caches.DynamicLayer:
                raise Unsupported(
                    f"the model returns a cache with a {type(layer).__name__}: return tensors, or "
                    "set use_cache=False in its configuration"
                )
        return [(layer.keys, layer.values) for layer in cache.layers if layer.is_initialized], None

    def unflatten(layers: Any, _: None) -> Any:
        cache = caches.DynamicCache()
        for keys, values in layers:
            # Not update(), which computes: what is put here may be a placeholder of a tensor.
            layer = caches.DynamicLayer()
            layer.keys, layer.values, layer.is_initialized = keys, values, True
            layer.dtype, layer.device = (getattr(keys, name, None) for name in ("dtype", "device"))
            cache.layers.append(layer)
        return cache

    def flatten_both(cache: Any) -> tuple[list[Any], None]:
        return [cache.self_attention_cache, cache.cross_attention_cache], None

    for kind, parts, whole in (
        (caches.DynamicCache, flatten, unflatten),
        (
            caches.EncoderDecoderCache,
            flatten_both,
            lambda both, _: caches.EncoderDecoderCache(*both),
        ),
    ):
        pytree.register_pytree_node(kind, parts, whole, serialized_type_name=kind.__qualname__)


def _build(
    from_config: Callable[..., Any], config_class: Any, name: Any, config: Any, options: Any
) -> Any:
    """What `from_pretrained(name, config=config, **options)` would return, with drawn weights.

    What is left of `options` belongs to the model's class, which raises for what it does not know.
    """
    from transformers import PreTrainedConfig

    options = {key: value for key, value in options.items() if key not in _ABOUT_WEIGHTS}
    dtypes = [options.pop(key, None) for key in ("torch_dtype", "dtype")]
    if isinstance(config, PreTrainedConfig):
        config = copy.deepcopy(config)
        for key in ("cache_dir", "local_files_only", "proxies", "revision", "subfolder", "token"):
            options.pop(key, None)
    else:
        config, options = config_class.from_pretrained(
            name if config is None else config, return_unused_kwargs=True, **options
        )
    if getattr(config, "quantization_config", None) is not None:
        raise Unsupported(f"'{name}' is a quantized model, which is not built without its weights")
    for dtype in dtypes:
        if dtype not in (None, "auto"):  # then it is the configuration's
            options["dtype"] = dtype
    return from_config(config, **options).eval()


_PATCHES: dict[str, Callable[[Any], None]] = {
    "transformers.utils.hub": _patch_downloads,
    "transformers.cache_utils": _patch_caches,
    "transformers.modeling_utils": _patch_models,
    "transformers.models.auto.auto_factory": _patch_auto_models,
}
