blocks = []
while True:
    blocks.append(b"x" * (len(blocks) + (1 << 20)))
