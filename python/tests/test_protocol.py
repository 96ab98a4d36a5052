import os
import socket
import struct
import unittest

from serving import content, memory, send

from assay_worker.protocol import (
    MAX_FRAME_BYTES,
    Channel,
    EndOfStream,
    FrameTooLarge,
    ProtocolError,
)


class Wire(unittest.TestCase):
    def setUp(self) -> None:
        self.assay, worker = socket.socketpair()
        self.addCleanup(self.assay.close)
        self.addCleanup(worker.close)
        self.channel = Channel(worker)

    def test_frame_brings_its_own_descriptors(self) -> None:
        with memory("one") as one, memory("two") as two:
            send(self.assay, {"n": 1}, [one])
            send(self.assay, {"n": 2}, [])
            send(self.assay, {"n": 3}, [two, one])
        for n, expected in [(1, [b"one"]), (2, []), (3, [b"two", b"one"])]:
            message, descriptors = self.channel.receive()
            self.assertEqual(message, {"n": n})
            self.assertEqual([content(d) for d in descriptors], expected)
            self.assertFalse(any(os.get_inheritable(d) for d in descriptors))
            for descriptor in descriptors:
                os.close(descriptor)

    def test_frame_may_arrive_in_pieces(self) -> None:
        body = b'{"text": "caf\xc3\xa9"}'
        for byte in struct.pack("<I", len(body)) + body:
            self.assay.send(bytes([byte]))
        self.assertEqual(self.channel.receive(), ({"text": "café"}, []))

    def test_answer_is_length_and_json(self) -> None:
        self.channel.answer({"ok": "é"})
        body = '{"ok": "é"}'.encode()
        self.assertEqual(self.assay.recv(100), struct.pack("<I", len(body)) + body)

    def test_answer_is_utf8_whatever_the_text(self) -> None:
        self.channel.answer({"error": "a\udc80b"})
        self.assertEqual(self.assay.recv(100)[4:], b'{"error": "a?b"}')

    def test_end_between_frames(self) -> None:
        self.assay.close()
        with self.assertRaises(EndOfStream):
            self.channel.receive()

    def test_malformed_frames(self) -> None:
        for sent in (
            b"\x01\x00",
            struct.pack("<I", 9) + b'{"cut',
            struct.pack("<I", 2) + b"[]",
            struct.pack("<I", 2) + b"\xff\xff",
            struct.pack("<I", MAX_FRAME_BYTES + 1),
        ):
            with self.subTest(sent=sent):
                assay, worker = socket.socketpair()
                with assay, worker:
                    assay.sendall(sent)
                    assay.shutdown(socket.SHUT_WR)
                    with self.assertRaises(ProtocolError):
                        Channel(worker).receive()

    def test_descriptors_of_a_malformed_frame_are_closed(self) -> None:
        before = os.listdir("/proc/self/fd")
        with memory("x") as file:
            socket.send_fds(self.assay, [struct.pack("<I", 2) + b"[]"], [file])
        with self.assertRaises(ProtocolError):
            self.channel.receive()
        self.assertEqual(os.listdir("/proc/self/fd"), before)

    def test_oversized_answer_sends_nothing(self) -> None:
        with self.assertRaises(FrameTooLarge):
            self.channel.answer({"detail": "x" * MAX_FRAME_BYTES})
        self.channel.answer({})
        self.assertEqual(self.assay.recv(100), b"\x02\x00\x00\x00{}")


if __name__ == "__main__":
    unittest.main()
