#ifndef CASSC_HEAP_H
#define CASSC_HEAP_H
#endif
