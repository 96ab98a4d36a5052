"""Models of the package `transformers`: built from their configuration, with nothing downloaded.

A problem may say `AutoModel.from_pretrained(name, config=config)`. What it computes follows from
the configuration; the weights behind the name are gigabytes that an export never looks at. So
`from_pretrained` builds the model with drawn weights, and no sizes are ever guessed from a name:
without a configuration, given or in the local cache, the problem fails and says what it needs.
"""

import copy
import functools
import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from torch.utils import _pytree as pytree

from assay_worker import hub_files
from assay_worker.failure import Explained, Unsupported

# How weights are found, read and placed: without meaning for weights that are drawn.
_ABOUT_WEIGHTS = frozenset(
    """device_map disable_mmap force_download generation_config ignore_mismatched_sizes
    low_cpu_mem_usage max_memory offload_buffers offload_folder use_safetensors variant
    weights_only""".split()
)


class NotHere(Explained, OSError):
    """A file is neither in the local cache nor in a folder. An OSError, as transformers' own is."""


def stay_offline() -> None:
    """Keeps this process from the hub, and patches transformers as soon as a problem imports it."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when huggingface_hub is imported
    if not any(isinstance(each, _PatchingFinder) for each in sys.meta_path):
        sys.meta_path.insert(0, _PatchingFinder())


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


def _patch_downloads(downloads: Any) -> None:
    """huggingface_hub.file_download: also a problem itself may ask for a file of a repository."""
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    class NotInCache(Explained, LocalEntryNotFoundError):  # type: ignore[misc]
        pass

    original = downloads.hf_hub_download

    @functools.wraps(original)
    def hf_hub_download(
        repo_id: Any, filename: Any, *, subfolder: Any = None, **options: Any
    ) -> Any:
        file = f"{subfolder}/{filename}" if subfolder else str(filename)
        name = f"{repo_id}/{file}"
        try:
            found = original(repo_id, filename, subfolder=subfolder, **options)
        except LocalEntryNotFoundError as error:
            hub_files.note_missing(name)
            raise NotInCache(_needs(repo_id, file)) from error
        except EntryNotFoundError:
            hub_files.note_missing(name)
            raise
        if isinstance(found, str):  # else it is asked what would be downloaded
            hub_files.note(name, found)
        return found

    downloads.hf_hub_download = hf_hub_download


def _needs(repository: Any, file: str) -> str:
    return (
        f"needs files of '{repository}' from the Hugging Face hub: the local cache has none, and "
        "nothing is downloaded here; build the model from a config, from_config(...), or run "
        f"`hf download {repository} {file}` first"
    )


def _patch_transformers(utilities: Any) -> None:
    """transformers.utils.hub: every file, of a folder or of a repository, is asked for here."""
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    original = utilities.cached_files

    @functools.wraps(original)
    def cached_files(path_or_repo_id: Any, filenames: Any, *arguments: Any, **options: Any) -> Any:
        folder = str(path_or_repo_id)
        wanted = {os.path.join(options.get("subfolder") or "", each) for each in filenames}
        found: dict[str, str] = {}
        try:
            paths = original(path_or_repo_id, filenames, *arguments, **options)
            found = {hub_files.path_within(folder, path): path for path in paths or ()}
        except OSError as error:
            if isinstance(error.__cause__, HFValidationError):
                raise NotHere(
                    f"there is no folder '{folder}', and it can't be the name of a repository: "
                    "give the absolute path of a folder with a config.json, or a name like "
                    "'openai-community/gpt2'"
                ) from error
            if isinstance(error.__cause__, LocalEntryNotFoundError):
                raise NotHere(_needs(folder, "config.json")) from error
            raise
        finally:
            for name, path in found.items():
                hub_files.note(f"{folder}/{name}", path)
            for name in wanted - found.keys():
                hub_files.note_missing(f"{folder}/{name}")
        return paths

    utilities.cached_files = cached_files


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
    "huggingface_hub.file_download": _patch_downloads,
    "transformers.utils.hub": _patch_transformers,
    "transformers.cache_utils": _patch_caches,
    "transformers.modeling_utils": _patch_models,
    "transformers.models.auto.auto_factory": _patch_auto_models,
}
