def Model():
    return None


def get_inputs():
    return []
