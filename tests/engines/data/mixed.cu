// Two kernels that read textures, which are not translated, and one that is.

extern "C" {

__global__ void scale(float *data, float factor) { data[threadIdx.x] *= factor; }

__global__ void sample(cudaTextureObject_t picture, float *out) {
    out[threadIdx.x] = tex2D<float>(picture, threadIdx.x + 0.5f, 0.5f);
}

__global__ void fetch(cudaTextureObject_t line, int *out) { out[threadIdx.x] = tex1Dfetch<int>(line, threadIdx.x); }
}
