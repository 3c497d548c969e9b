/* The name under which programs written for StEAM include the annotations. */
#include <dampf.h>
