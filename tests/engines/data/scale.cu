// The smallest kernel that computes something.

extern "C" __global__ void scale(float *data, float factor) { data[threadIdx.x] *= factor; }
