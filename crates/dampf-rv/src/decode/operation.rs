//! The operations of RV64IMAFDC with Zicsr and Zifencei, each with its mnemonic and the shape of its operands.
//!
//! One table says it all: decoding, disassembly, liveness and the description of memory accesses are functions of the
//! shape, so an operation is described in one place.

/// What the operands of an operation are, and in which order they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// No operands.
    Plain,
    /// `rd,imm`: the upper twenty bits.
    Upper,
    /// `rd,target`
    Jump,
    /// `rd,offset(rs1)`, a jump.
    JumpRegister,
    /// `rs1,rs2,target`
    Branch,
    /// `rd,offset(rs1)`; the number is that of the bytes, as for all memory shapes.
    Load(u8),
    /// `rs2,offset(rs1)`
    Store(u8),
    /// `fd,offset(rs1)`
    FloatLoad(u8),
    /// `fs2,offset(rs1)`
    FloatStore(u8),
    /// `rd,(rs1)`
    LoadReserved(u8),
    /// `rd,rs2,(rs1)`, the conditional store.
    StoreConditional(u8),
    /// `rd,rs2,(rs1)`
    Atomic(u8),
    /// `rd,rs1,imm`
    Immediate,
    /// `rd,rs1,amount`
    Shift,
    /// `rd,rs1,rs2`
    Register,
    /// `predecessors,successors`
    Fence,
    /// `rd,csr,rs1`
    Csr,
    /// `rd,csr,imm`: the five bits of `rs1` are the operand.
    CsrImmediate,
    /// `fd,fs1,fs2,fs3,rounding`
    Fused,
    /// `fd,fs1,fs2,rounding`
    FloatRounded,
    /// `fd,fs1,fs2`
    Float,
    /// `fd,fs1,rounding`
    FloatUnary,
    /// `rd,fs1,fs2`
    Compare,
    /// `rd,fs1,rounding`
    ToInteger,
    /// `fd,rs1,rounding`
    FromInteger,
    /// `rd,fs1`
    MoveToInteger,
    /// `fd,rs1`
    MoveFromInteger,
}

macro_rules! operations {
    ($($(#[$documentation:meta])* $name:ident $mnemonic:literal $shape:expr;)*) => {
        /// An operation of the machine. Compressed instructions have none of their own: they are expanded.
        #[repr(u8)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op { $($(#[$documentation])* $name),* }

        impl Op {
            /// Every operation, in the order of its number.
            pub const ALL: &[Op] = &[$(Op::$name),*];

            pub fn mnemonic(self) -> &'static str {
                match self { $(Op::$name => $mnemonic),* }
            }

            pub(crate) fn shape(self) -> Shape {
                use Shape::*;
                match self { $(Op::$name => $shape),* }
            }
        }
    };
}

operations! {
    Lui "lui" Upper;
    Auipc "auipc" Upper;
    Jal "jal" Jump;
    Jalr "jalr" JumpRegister;
    Beq "beq" Branch;
    Bne "bne" Branch;
    Blt "blt" Branch;
    Bge "bge" Branch;
    Bltu "bltu" Branch;
    Bgeu "bgeu" Branch;
    Lb "lb" Load(1);
    Lh "lh" Load(2);
    Lw "lw" Load(4);
    Ld "ld" Load(8);
    Lbu "lbu" Load(1);
    Lhu "lhu" Load(2);
    Lwu "lwu" Load(4);
    Sb "sb" Store(1);
    Sh "sh" Store(2);
    Sw "sw" Store(4);
    Sd "sd" Store(8);
    Addi "addi" Immediate;
    Slti "slti" Immediate;
    Sltiu "sltiu" Immediate;
    Xori "xori" Immediate;
    Ori "ori" Immediate;
    Andi "andi" Immediate;
    Slli "slli" Shift;
    Srli "srli" Shift;
    Srai "srai" Shift;
    Add "add" Register;
    Sub "sub" Register;
    Sll "sll" Register;
    Slt "slt" Register;
    Sltu "sltu" Register;
    Xor "xor" Register;
    Srl "srl" Register;
    Sra "sra" Register;
    Or "or" Register;
    And "and" Register;
    Addiw "addiw" Immediate;
    Slliw "slliw" Shift;
    Srliw "srliw" Shift;
    Sraiw "sraiw" Shift;
    Addw "addw" Register;
    Subw "subw" Register;
    Sllw "sllw" Register;
    Srlw "srlw" Register;
    Sraw "sraw" Register;
    Fence "fence" Fence;
    FenceI "fence.i" Plain;
    Ecall "ecall" Plain;
    Ebreak "ebreak" Plain;

    Mul "mul" Register;
    Mulh "mulh" Register;
    Mulhsu "mulhsu" Register;
    Mulhu "mulhu" Register;
    Div "div" Register;
    Divu "divu" Register;
    Rem "rem" Register;
    Remu "remu" Register;
    Mulw "mulw" Register;
    Divw "divw" Register;
    Divuw "divuw" Register;
    Remw "remw" Register;
    Remuw "remuw" Register;

    LrW "lr.w" LoadReserved(4);
    LrD "lr.d" LoadReserved(8);
    ScW "sc.w" StoreConditional(4);
    ScD "sc.d" StoreConditional(8);
    AmoswapW "amoswap.w" Atomic(4);
    AmoswapD "amoswap.d" Atomic(8);
    AmoaddW "amoadd.w" Atomic(4);
    AmoaddD "amoadd.d" Atomic(8);
    AmoxorW "amoxor.w" Atomic(4);
    AmoxorD "amoxor.d" Atomic(8);
    AmoandW "amoand.w" Atomic(4);
    AmoandD "amoand.d" Atomic(8);
    AmoorW "amoor.w" Atomic(4);
    AmoorD "amoor.d" Atomic(8);
    AmominW "amomin.w" Atomic(4);
    AmominD "amomin.d" Atomic(8);
    AmomaxW "amomax.w" Atomic(4);
    AmomaxD "amomax.d" Atomic(8);
    AmominuW "amominu.w" Atomic(4);
    AmominuD "amominu.d" Atomic(8);
    AmomaxuW "amomaxu.w" Atomic(4);
    AmomaxuD "amomaxu.d" Atomic(8);

    Csrrw "csrrw" Csr;
    Csrrs "csrrs" Csr;
    Csrrc "csrrc" Csr;
    Csrrwi "csrrwi" CsrImmediate;
    Csrrsi "csrrsi" CsrImmediate;
    Csrrci "csrrci" CsrImmediate;

    Flw "flw" FloatLoad(4);
    Fld "fld" FloatLoad(8);
    Fsw "fsw" FloatStore(4);
    Fsd "fsd" FloatStore(8);
    FmaddS "fmadd.s" Fused;
    FmsubS "fmsub.s" Fused;
    FnmsubS "fnmsub.s" Fused;
    FnmaddS "fnmadd.s" Fused;
    FaddS "fadd.s" FloatRounded;
    FsubS "fsub.s" FloatRounded;
    FmulS "fmul.s" FloatRounded;
    FdivS "fdiv.s" FloatRounded;
    FsqrtS "fsqrt.s" FloatUnary;
    FsgnjS "fsgnj.s" Float;
    FsgnjnS "fsgnjn.s" Float;
    FsgnjxS "fsgnjx.s" Float;
    FminS "fmin.s" Float;
    FmaxS "fmax.s" Float;
    FeqS "feq.s" Compare;
    FltS "flt.s" Compare;
    FleS "fle.s" Compare;
    FclassS "fclass.s" MoveToInteger;
    FcvtWS "fcvt.w.s" ToInteger;
    FcvtWuS "fcvt.wu.s" ToInteger;
    FcvtLS "fcvt.l.s" ToInteger;
    FcvtLuS "fcvt.lu.s" ToInteger;
    FcvtSW "fcvt.s.w" FromInteger;
    FcvtSWu "fcvt.s.wu" FromInteger;
    FcvtSL "fcvt.s.l" FromInteger;
    FcvtSLu "fcvt.s.lu" FromInteger;
    FmvXW "fmv.x.w" MoveToInteger;
    FmvWX "fmv.w.x" MoveFromInteger;
    FmaddD "fmadd.d" Fused;
    FmsubD "fmsub.d" Fused;
    FnmsubD "fnmsub.d" Fused;
    FnmaddD "fnmadd.d" Fused;
    FaddD "fadd.d" FloatRounded;
    FsubD "fsub.d" FloatRounded;
    FmulD "fmul.d" FloatRounded;
    FdivD "fdiv.d" FloatRounded;
    FsqrtD "fsqrt.d" FloatUnary;
    FsgnjD "fsgnj.d" Float;
    FsgnjnD "fsgnjn.d" Float;
    FsgnjxD "fsgnjx.d" Float;
    FminD "fmin.d" Float;
    FmaxD "fmax.d" Float;
    FeqD "feq.d" Compare;
    FltD "flt.d" Compare;
    FleD "fle.d" Compare;
    FclassD "fclass.d" MoveToInteger;
    FcvtWD "fcvt.w.d" ToInteger;
    FcvtWuD "fcvt.wu.d" ToInteger;
    FcvtLD "fcvt.l.d" ToInteger;
    FcvtLuD "fcvt.lu.d" ToInteger;
    FcvtDW "fcvt.d.w" FromInteger;
    FcvtDWu "fcvt.d.wu" FromInteger;
    FcvtDL "fcvt.d.l" FromInteger;
    FcvtDLu "fcvt.d.lu" FromInteger;
    FmvXD "fmv.x.d" MoveToInteger;
    FmvDX "fmv.d.x" MoveFromInteger;
    FcvtSD "fcvt.s.d" FloatUnary;
    FcvtDS "fcvt.d.s" FloatUnary;

    /// A place where the owner of the program wants to be asked; no encoding has it.
    Hook "hook" Plain;
    /// An encoding that is no instruction of this machine.
    Illegal "illegal" Plain;
}
