// Device code that is linked from two files (see build.sh): calls, variables and pointers to functions that cross files,
// virtual functions, recursion.
extern __device__ int twice(int);
extern __device__ int table[4];
extern __constant__ int factor;
typedef int (*operation)(int);
extern __device__ operation operations[2];

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int a;
    __device__ Square(int a) : a(a) {}
    __device__ int area() const override { return a * a; }
};
struct Strip : Shape {
    int a, b;
    __device__ Strip(int a, int b) : a(a), b(b) {}
    __device__ int area() const override { return twice(a) * b; }
};

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void shapes(int *out) {
    int i = threadIdx.x;
    Square square(i);
    Strip strip(i, 3);
    const Shape *shape = i & 1 ? static_cast<const Shape *>(&square) : &strip;
    out[i] = twice(i) + table[i & 3] * factor + operations[i % 2](i) + shape->area() + factorial(i % 6);
}
