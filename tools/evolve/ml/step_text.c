/* step_text.c - a step of training as an MLIR module
   SPDX-License-Identifier: MIT

   step_text.h declares it. */
#include "step_text.h"

#include "base/util.h"

#include <string.h>

/* Capital letters stand for sizes: see `put`. Slopes of the loss by
   something have a `d` in front of its name. */
static const char forwards[] =
    "module {\n"
    "  func.func @N_step(%p: tensor<Vxf32>, %x: tensor<Xxf32>, %y: tensor<BxLxf32>) -> "
    "tensor<Vxf32> attributes {llvm.emit_c_interface} {\n"
    "    %zero = arith.constant 0.0 : f32\n"
    "    %fw1 = tensor.extract_slice %p[0] [W] [1] : tensor<Vxf32> to tensor<Wxf32>\n"
    "    %w1 = tensor.expand_shape %fw1 [[0, 1]] : tensor<Wxf32> into tensor<IxHxf32>\n"
    "    %b1 = tensor.extract_slice %p[W] [H] [1] : tensor<Vxf32> to tensor<Hxf32>\n"
    "    %fw2 = tensor.extract_slice %p[P] [U] [1] : tensor<Vxf32> to tensor<Uxf32>\n"
    "    %w2 = tensor.expand_shape %fw2 [[0, 1]] : tensor<Uxf32> into tensor<HxLxf32>\n"
    "    %b2 = tensor.extract_slice %p[Q] [L] [1] : tensor<Vxf32> to tensor<Lxf32>\n"
    "    %f = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<Xxf32> into tensor<BxIxf32>\n"
    "    %eh = tensor.empty() : tensor<BxHxf32>\n"
    "    %sh = linalg.broadcast ins(%b1 : tensor<Hxf32>) outs(%eh : tensor<BxHxf32>) "
    "dimensions = [0]\n"
    "    %ah = linalg.matmul ins(%f, %w1 : tensor<BxIxf32>, tensor<IxHxf32>) "
    "outs(%sh : tensor<BxHxf32>) -> tensor<BxHxf32>\n"
    "    %zh = arith.constant dense<0.0> : tensor<BxHxf32>\n"
    "    %h = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} "
    "ins(%ah, %zh : tensor<BxHxf32>, tensor<BxHxf32>) outs(%eh : tensor<BxHxf32>) -> "
    "tensor<BxHxf32>\n"
    "    %eo = tensor.empty() : tensor<BxLxf32>\n"
    "    %so = linalg.broadcast ins(%b2 : tensor<Lxf32>) outs(%eo : tensor<BxLxf32>) "
    "dimensions = [0]\n"
    "    %o = linalg.matmul ins(%h, %w2 : tensor<BxHxf32>, tensor<HxLxf32>) "
    "outs(%so : tensor<BxLxf32>) -> tensor<BxLxf32>\n"
    /* probabilities, and the slopes of the loss by %o */
    "    %least = arith.constant dense<-3.0e38> : tensor<Bxf32>\n"
    "    %m = linalg.reduce {arith.maxf} ins(%o : tensor<BxLxf32>) outs(%least : tensor<Bxf32>) "
    "dimensions = [1]\n"
    "    %mb = linalg.broadcast ins(%m : tensor<Bxf32>) outs(%eo : tensor<BxLxf32>) "
    "dimensions = [1]\n"
    "    %under = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} "
    "ins(%o, %mb : tensor<BxLxf32>, tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>) -> "
    "tensor<BxLxf32>\n"
    "    %e = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%under : tensor<BxLxf32>) "
    "outs(%eo : tensor<BxLxf32>) -> tensor<BxLxf32>\n"
    "    %zs = arith.constant dense<0.0> : tensor<Bxf32>\n"
    "    %s = linalg.reduce {arith.addf} ins(%e : tensor<BxLxf32>) outs(%zs : tensor<Bxf32>) "
    "dimensions = [1]\n"
    "    %sb = linalg.broadcast ins(%s : tensor<Bxf32>) outs(%eo : tensor<BxLxf32>) "
    "dimensions = [1]\n"
    "    %chance = linalg.map {arith.divf} ins(%e, %sb : tensor<BxLxf32>, tensor<BxLxf32>) "
    "outs(%eo : tensor<BxLxf32>)\n"
    "    %do = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} "
    "ins(%chance, %y : tensor<BxLxf32>, tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>) -> "
    "tensor<BxLxf32>\n";

static const char backwards[] =
    "    %et = tensor.empty() : tensor<LxHxf32>\n"
    "    %w2t = linalg.transpose ins(%w2 : tensor<HxLxf32>) outs(%et : tensor<LxHxf32>) "
    "permutation = [1, 0]\n"
    "    %dr = linalg.matmul ins(%do, %w2t : tensor<BxLxf32>, tensor<LxHxf32>) "
    "outs(%zh : tensor<BxHxf32>) -> tensor<BxHxf32>\n"
    "    %dh = linalg.map ins(%h, %dr : tensor<BxHxf32>, tensor<BxHxf32>) "
    "outs(%eh : tensor<BxHxf32>) (%u: f32, %v: f32) {\n"
    "      %on = arith.cmpf ogt, %u, %zero : f32\n"
    "      %d = arith.select %on, %v, %zero : f32\n"
    "      linalg.yield %d : f32\n    }\n"
    "    %eht = tensor.empty() : tensor<HxBxf32>\n"
    "    %ht = linalg.transpose ins(%h : tensor<BxHxf32>) outs(%eht : tensor<HxBxf32>) "
    "permutation = [1, 0]\n"
    "    %z2 = arith.constant dense<0.0> : tensor<HxLxf32>\n"
    "    %dw2 = linalg.matmul ins(%ht, %do : tensor<HxBxf32>, tensor<BxLxf32>) "
    "outs(%z2 : tensor<HxLxf32>) -> tensor<HxLxf32>\n"
    "    %zb2 = arith.constant dense<0.0> : tensor<Lxf32>\n"
    "    %db2 = linalg.reduce {arith.addf} ins(%do : tensor<BxLxf32>) outs(%zb2 : tensor<Lxf32>) "
    "dimensions = [0]\n"
    "    %eft = tensor.empty() : tensor<IxBxf32>\n"
    "    %ft = linalg.transpose ins(%f : tensor<BxIxf32>) outs(%eft : tensor<IxBxf32>) "
    "permutation = [1, 0]\n"
    "    %z1 = arith.constant dense<0.0> : tensor<IxHxf32>\n"
    "    %dw1 = linalg.matmul ins(%ft, %dh : tensor<IxBxf32>, tensor<BxHxf32>) "
    "outs(%z1 : tensor<IxHxf32>) -> tensor<IxHxf32>\n"
    "    %zb1 = arith.constant dense<0.0> : tensor<Hxf32>\n"
    "    %db1 = linalg.reduce {arith.addf} ins(%dh : tensor<BxHxf32>) outs(%zb1 : tensor<Hxf32>) "
    "dimensions = [0]\n"
    /* the step */
    "    %ev = tensor.empty() : tensor<Vxf32>\n"
    "    %fdw1 = tensor.collapse_shape %dw1 [[0, 1]] : tensor<IxHxf32> into tensor<Wxf32>\n"
    "    %g1 = tensor.insert_slice %fdw1 into %ev[0] [W] [1] : tensor<Wxf32> into tensor<Vxf32>\n"
    "    %g2 = tensor.insert_slice %db1 into %g1[W] [H] [1] : tensor<Hxf32> into tensor<Vxf32>\n"
    "    %fdw2 = tensor.collapse_shape %dw2 [[0, 1]] : tensor<HxLxf32> into tensor<Uxf32>\n"
    "    %g3 = tensor.insert_slice %fdw2 into %g2[P] [U] [1] : tensor<Uxf32> into tensor<Vxf32>\n"
    "    %g = tensor.insert_slice %db2 into %g3[Q] [L] [1] : tensor<Lxf32> into tensor<Vxf32>\n"
    "    %rate = arith.constant dense<R> : tensor<Vxf32>\n"
    "    %part = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} "
    "ins(%g, %rate : tensor<Vxf32>, tensor<Vxf32>) outs(%ev : tensor<Vxf32>) -> tensor<Vxf32>\n"
    "    %q = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} "
    "ins(%p, %part : tensor<Vxf32>, tensor<Vxf32>) outs(%ev : tensor<Vxf32>) -> tensor<Vxf32>\n"
    "    return %q : tensor<Vxf32>\n  }\n}\n";

/* B images of I numbers, as X has them; H hidden numbers, L labels; V values: W weights and H
   biases of the first layer, U weights from P on and L biases from Q on of the second; R: the rate
   by the batch */
static void put(const struct net *net, long batch, double rate, char letter, struct buf *out)
{
    const struct net_layer *first = &net->layer[0], *second = &net->layer[1];
    switch (letter) {
    case 'N': buf_puts(out, net->name); break;
    case 'B': buf_printf(out, "%ld", batch); break;
    case 'I': buf_printf(out, "%zu", net_size(first->in)); break;
    case 'X':
        buf_printf(out, "%ldx%dx%dx%d", batch, first->in.height, first->in.width,
                   first->in.channels);
        break;
    case 'H': buf_printf(out, "%d", first->out.channels); break;
    case 'L': buf_printf(out, "%d", second->out.channels); break;
    case 'V': buf_printf(out, "%zu", net->n_values); break;
    case 'W': buf_printf(out, "%zu", first->n_weights); break;
    case 'U': buf_printf(out, "%zu", second->n_weights); break;
    case 'P': buf_printf(out, "%zu", second->weights); break;
    case 'Q': buf_printf(out, "%zu", second->biases); break;
    case 'R': buf_printf(out, "%.9e", rate / (double)batch); break;
    default: buf_add(out, &letter, 1); break;
    }
}

int step_text(const struct net *net, long batch, double rate, struct buf *out)
{
    if (strcmp(net->name, "dense") != 0)
        return fail("network \"%s\": a step of training is there for dense alone", net->name);
    for (const char *at = forwards; *at != '\0'; at++)
        put(net, batch, rate, *at, out);
    for (const char *at = backwards; *at != '\0'; at++)
        put(net, batch, rate, *at, out);
    return 0;
}
