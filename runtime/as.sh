#!/bin/sh
# The compiler's assembler, told where inline assembly is.
#
# Programs implement atomic accesses by inline assembly, which to the compiler is any text and to a machine an access
# like any other. In what the compiler writes, statements of inline assembly stand between comments; here they become
# pairs of addresses in a section that goes with the debug information: like that, it needs no memory in the program,
# and may refer to code that the linker leaves out.
assembler='@ASSEMBLER@'

assembles=no
last=
for argument; do
    [ "$argument" = -o ] && assembles=yes
    last=$argument
done

mark() {
    sed '/^#APP$/,/^#NO_APP$/{
        s/^# [0-9][0-9]* ".*" 1$/&\
9901:/
        s/^# 0 "" 2$/9902:\
	.pushsection .debug_dampf_assembly,"",@progbits\
	.dword 9901b\
	.dword 9902b\
	.popsection\
&/
    }' "$@"
}

case $assembles,$last in
    no,*) exec "$assembler" "$@" ;;
    yes,*.s)
        grep -q '^#APP$' "$last" || exec "$assembler" "$@"
        count=$#
        for argument; do
            shift
            [ "$count" -eq 1 ] || set -- "$@" "$argument"
            count=$((count - 1))
        done
        mark "$last" | "$assembler" "$@" -
        ;;
    *) mark | "$assembler" "$@" ;;
esac
