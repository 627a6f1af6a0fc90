// OpenMP's functions, as libgomp exports them, for host code whose directives are ignored (OpenMP API, "Runtime Library
// Routines"). g++'s header of this name has attributes that clang refuses.
#ifndef CASSC_OMP_H
#define CASSC_OMP_H
#ifdef __cplusplus
extern "C" {
#endif
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_in_parallel(void);
int omp_get_level(void);
int omp_get_dynamic(void);
int omp_get_nested(void);
int omp_get_num_devices(void);
void omp_set_num_threads(int);
void omp_set_dynamic(int);
void omp_set_nested(int);
double omp_get_wtime(void);
double omp_get_wtick(void);
#ifdef __cplusplus
}
#endif
#endif
