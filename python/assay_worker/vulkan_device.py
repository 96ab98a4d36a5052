"""What code for Vulkan declares that it needs, and what the device here has of that.

IREE's runtime hands SPIR-V to the driver as it is. Where a driver lacks what that declares, it may
compute something else, or break. And no code says how large it takes subgroups to be: where a
device has others, it computes something else. So both is looked at before anything is called.
"""

import ctypes
import struct
from dataclasses import dataclass
from typing import Any

from assay_worker.failure import Explained, Unsupported

_LOADER = "libvulkan.so.1"

# SPIR-V: the first word, how many words stand before the instructions, and one instruction.
_MAGIC = struct.pack("<I", 0x07230203)
_HEADER_WORDS = 5
_OP_CAPABILITY = 17

# Capabilities that every device of Vulkan has.
_EVERYWHERE = {0, 1}  # Matrix, Shader
# Those of subgroups: from GroupNonUniform to GroupNonUniformQuad.
_OF_SUBGROUPS = range(61, 69)
# What else compilers declare, with the feature of a device that it asks for.
_OF_FEATURES = {
    9: ("Float16", "shaderFloat16"),
    10: ("Float64", "shaderFloat64"),
    11: ("Int64", "shaderInt64"),
    22: ("Int16", "shaderInt16"),
    39: ("Int8", "shaderInt8"),
    4433: ("StorageBuffer16BitAccess", "storageBuffer16BitAccess"),
    4434: ("UniformAndStorageBuffer16BitAccess", "uniformAndStorageBuffer16BitAccess"),
    4435: ("StoragePushConstant16", "storagePushConstant16"),
    4441: ("VariablePointersStorageBuffer", "variablePointersStorageBuffer"),
    4442: ("VariablePointers", "variablePointers"),
    4448: ("StorageBuffer8BitAccess", "storageBuffer8BitAccess"),
    4449: ("UniformAndStorageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess"),
    4450: ("StoragePushConstant8", "storagePushConstant8"),
    5345: ("VulkanMemoryModel", "vulkanMemoryModel"),
    5346: ("VulkanMemoryModelDeviceScope", "vulkanMemoryModelDeviceScope"),
    5347: ("PhysicalStorageBufferAddresses", "bufferDeviceAddress"),
    6016: ("DotProductInputAll", "shaderIntegerDotProduct"),
    6017: ("DotProductInput4x8Bit", "shaderIntegerDotProduct"),
    6018: ("DotProductInput4x8BitPacked", "shaderIntegerDotProduct"),
    6019: ("DotProduct", "shaderIntegerDotProduct"),
    6022: ("CooperativeMatrixKHR", "cooperativeMatrix"),
}

# Structures that a device is asked for: their numbers, how many words of 32 bits they have behind
# their heads, and the place among these of each feature above.
_FEATURES = {
    1000059000: (55, {"shaderFloat64": 39, "shaderInt64": 40, "shaderInt16": 41}),
    49: (
        12,
        {
            "storageBuffer16BitAccess": 0,
            "uniformAndStorageBuffer16BitAccess": 1,
            "storagePushConstant16": 2,
            "variablePointersStorageBuffer": 7,
            "variablePointers": 8,
        },
    ),
    51: (
        47,
        {
            "storageBuffer8BitAccess": 2,
            "uniformAndStorageBuffer8BitAccess": 3,
            "storagePushConstant8": 4,
            "shaderFloat16": 7,
            "shaderInt8": 8,
            "bufferDeviceAddress": 38,
            "vulkanMemoryModel": 41,
            "vulkanMemoryModelDeviceScope": 42,
        },
    ),
    53: (15, {"shaderIntegerDotProduct": 13}),
    1000506000: (2, {"cooperativeMatrix": 0}),
}
_PROPERTIES, _SUBGROUPS = 1000059001, 1000094000
# Of properties: five words, then the name. What comes behind fits into so many words.
_NAME_WORD, _NAME_BYTES, _PROPERTY_WORDS = 5, 256, 512


@dataclass(frozen=True)
class Device:
    """The one that the loader shows first."""

    name: str
    subgroup_threads: int
    features: frozenset[str]


def check(artifact: bytes, device: Device) -> None:
    """Raises Unsupported, with all that the device lacks of what the artifact's code declares."""
    declared = capabilities(artifact)
    lacking = []
    for each in sorted(declared - _EVERYWHERE - set(_OF_SUBGROUPS)):
        word, feature = _OF_FEATURES.get(each, (f"capability {each}", ""))
        if feature not in device.features:
            lacking.append(word)
    why = []
    if lacking:
        why.append(f"{', '.join(lacking)}, which {device.name} has not")
    if not declared.isdisjoint(_OF_SUBGROUPS):
        why.append(
            "subgroups as large as the target's, and those of "
            f"{device.name} have {device.subgroup_threads} threads"
        )
    if why:
        raise Unsupported(f"the code asks for {'; for '.join(why)}")


def capabilities(artifact: bytes) -> set[int]:
    """All that any SPIR-V module in it declares, wherever that lies."""
    found: set[int] = set()
    at = artifact.find(_MAGIC)
    while at >= 0:
        found |= _capabilities_at(artifact, at)
        at = artifact.find(_MAGIC, at + 1)
    return found


def _capabilities_at(artifact: bytes, at: int) -> set[int]:
    """Those of one module: its first instructions. Bytes that only look like one have none."""
    found: set[int] = set()
    place = at + 4 * _HEADER_WORDS
    while place + 8 <= len(artifact):
        first, operand = struct.unpack_from("<II", artifact, place)
        if first != (2 << 16) + _OP_CAPABILITY:
            break
        found.add(operand)
        place += 8
    return found


def device() -> Device:
    """Asks the driver. Raises Explained where there is none."""
    try:
        vulkan = ctypes.CDLL(_LOADER)
    except OSError as error:
        raise Explained(f"the loader of Vulkan is not here: {error}") from None
    instance = _instance(vulkan)
    try:
        physical = _first_device(vulkan, instance)
        features = _chain({kind: words for kind, (words, _) in _FEATURES.items()})
        vulkan.vkGetPhysicalDeviceFeatures2(physical, ctypes.byref(features[0]))
        properties = _chain({_PROPERTIES: _PROPERTY_WORDS, _SUBGROUPS: 4})
        vulkan.vkGetPhysicalDeviceProperties2(physical, ctypes.byref(properties[0]))
    finally:
        vulkan.vkDestroyInstance(instance, None)
    name = bytes(properties[0].words)[4 * _NAME_WORD :][:_NAME_BYTES]
    return Device(
        name.split(b"\0")[0].decode("utf-8", "replace"),
        int(properties[1].words[0]),
        frozenset(
            feature
            for asked, (_, places) in zip(features, _FEATURES.values(), strict=True)
            for feature, place in places.items()
            if asked.words[place]
        ),
    )


class _Application(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_uint32),
        ("engine", ctypes.c_char_p),
        ("engine_version", ctypes.c_uint32),
        ("vulkan_version", ctypes.c_uint32),
    )


class _Creation(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("next", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("application", ctypes.POINTER(_Application)),
        ("layers", ctypes.c_uint32),
        ("layer_names", ctypes.c_void_p),
        ("extensions", ctypes.c_uint32),
        ("extension_names", ctypes.c_void_p),
    )


def _instance(vulkan: Any) -> ctypes.c_void_p:
    application = _Application(vulkan_version=(1 << 22) + (3 << 12))
    creation = _Creation(kind=1, application=ctypes.pointer(application))
    instance = ctypes.c_void_p()
    _succeed(vulkan.vkCreateInstance(ctypes.byref(creation), None, ctypes.byref(instance)))
    return instance


def _first_device(vulkan: Any, instance: ctypes.c_void_p) -> ctypes.c_void_p:
    count, first = ctypes.c_uint32(1), ctypes.c_void_p()
    incomplete = 5  # there are more
    arguments = (instance, ctypes.byref(count), ctypes.byref(first))
    _succeed(vulkan.vkEnumeratePhysicalDevices(*arguments), incomplete)
    if count.value == 0:
        raise Explained("VK_ERROR_INCOMPATIBLE_DRIVER: the driver of Vulkan shows no device")
    return first


def _succeed(answer: int, *others: int) -> None:
    if answer not in (0, *others):
        raise Explained(f"VK_ERROR_INITIALIZATION_FAILED: the loader of Vulkan answers {answer}")


def _chain(kinds: dict[int, int]) -> list[Any]:
    """Structures that point each to the next one; of each its number, and its words."""
    made: list[Any] = []
    for kind, words in reversed(kinds.items()):
        made.insert(0, _structure(words)(kind, ctypes.addressof(made[0]) if made else None))
    return made


def _structure(words: int) -> type[ctypes.Structure]:
    class Structure(ctypes.Structure):
        _fields_ = (
            ("kind", ctypes.c_uint32),
            ("next", ctypes.c_void_p),
            ("words", ctypes.c_uint32 * words),
        )

    return Structure
