// Mathematical functions of CUDA's that the C library lacks, on the host.
#include "check.h"
#include <math.h>
int main() {
  for (double y : {-0.999999999, -0.5, -1e-9, 0.3, 0.9, 0.9999999999}) CHECK(fabs(erf(erfinv(y)) - y) < 1e-14);
  for (double y : {1e-300, 1e-10, 0.3, 1.0, 1.7, 1.9999999999}) CHECK(fabs(erfc(erfcinv(y)) - y) < 1e-12 * y);
  CHECK(fabs(normcdf(normcdfinv(1e-5)) - 1e-5) < 1e-17);
  CHECK(fabs(sinpi(0.25) - sqrt(0.5)) < 1e-15);
  CHECK(cospi(1e15) == 1 && sinpi(-1.5) == 1 && cospif(0.5f) == 0);
  CHECK(erfcinv(2.0) == -INFINITY && erfinv(1.0) == INFINITY);
  done();
}
