#ifndef CASSC_TEXTURE_H
#define CASSC_TEXTURE_H
#endif
