// Empty: what counts is the name libmpi.so.12 and that it needs MPICH's library (see loadstone_mpich_stub).
typedef int loadstone_not_empty;
