table = bytearray(100 << 30)
