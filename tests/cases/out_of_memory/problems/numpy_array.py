import numpy

table = numpy.ones(100 << 27)
