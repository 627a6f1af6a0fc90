"""How the shipped model was made: kernels, pairs, training, evaluation."""
