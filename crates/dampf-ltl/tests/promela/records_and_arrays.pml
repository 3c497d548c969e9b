// pan: holds
// pan -a: holds
// pan -a -f: holds
typedef R { byte a[2]; bit f };
R r; byte i;
active proctype P() { do :: r.a[i] = 1 - r.a[i]; i = 1 - i; r.f = !r.f od }
never { accept: do :: r.a[0] == r.a[1] || r.f :: r.a[i] == 0 od }
