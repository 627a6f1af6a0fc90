/* Opens the library named by the first argument and calls its function "say". */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
  int (*say)(void) = library ? (int (*)(void))dlsym(library, "say") : 0;
  if (!say) {
    fprintf(stderr, "%s\n", dlerror());
    return 99;
  }
  return say();
}
