// Which build this is: a digest of the headers that the front ends share with the core (CMakeLists.txt).
extern "C" __attribute__((visibility("default"))) const char* cassc_rt_build() { return CASSC_RT_BUILD; }
