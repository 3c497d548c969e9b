#ifndef SHARED
#define SHARED
#define LENGTH 3
#include "shared.h"
#endif
