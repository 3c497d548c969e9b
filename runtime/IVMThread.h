/* The name under which programs written for StEAM include the base class of threads. */
#include <dampf.h>
