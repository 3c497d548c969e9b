#ifndef LIMIT
#define LIMIT 2
#endif
mtype = { call, hang_up };
