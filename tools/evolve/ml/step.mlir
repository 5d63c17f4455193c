// step.mlir - one step of training of the network `dense`: mlir_text.c writes it, with numbers for capital letters
// SPDX-License-Identifier: MIT
//
// Slopes of the loss by something have a `d` in front of its name. Lines like these are left out.
module {
  func.func @N_step(%p: tensor<Vxf32>, %x: tensor<Xxf32>, %y: tensor<BxLxf32>) -> tensor<Vxf32> attributes {llvm.emit_c_interface} {
    %zero = arith.constant 0.0 : f32
    %fw1 = tensor.extract_slice %p[0] [W] [1] : tensor<Vxf32> to tensor<Wxf32>
    %w1 = tensor.expand_shape %fw1 [[0, 1]] : tensor<Wxf32> into tensor<IxHxf32>
    %b1 = tensor.extract_slice %p[W] [H] [1] : tensor<Vxf32> to tensor<Hxf32>
    %fw2 = tensor.extract_slice %p[P] [U] [1] : tensor<Vxf32> to tensor<Uxf32>
    %w2 = tensor.expand_shape %fw2 [[0, 1]] : tensor<Uxf32> into tensor<HxLxf32>
    %b2 = tensor.extract_slice %p[Q] [L] [1] : tensor<Vxf32> to tensor<Lxf32>
    %f = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<Xxf32> into tensor<BxIxf32>
    %eh = tensor.empty() : tensor<BxHxf32>
    %sh = linalg.broadcast ins(%b1 : tensor<Hxf32>) outs(%eh : tensor<BxHxf32>) dimensions = [0]
    %ah = linalg.matmul ins(%f, %w1 : tensor<BxIxf32>, tensor<IxHxf32>) outs(%sh : tensor<BxHxf32>) -> tensor<BxHxf32>
    %zh = arith.constant dense<0.0> : tensor<BxHxf32>
    %h = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%ah, %zh : tensor<BxHxf32>, tensor<BxHxf32>) outs(%eh : tensor<BxHxf32>) -> tensor<BxHxf32>
    %eo = tensor.empty() : tensor<BxLxf32>
    %so = linalg.broadcast ins(%b2 : tensor<Lxf32>) outs(%eo : tensor<BxLxf32>) dimensions = [0]
    %o = linalg.matmul ins(%h, %w2 : tensor<BxHxf32>, tensor<HxLxf32>) outs(%so : tensor<BxLxf32>) -> tensor<BxLxf32>
// probabilities, and the slopes of the loss by %o
    %least = arith.constant dense<-3.0e38> : tensor<Bxf32>
    %m = linalg.reduce {arith.maxf} ins(%o : tensor<BxLxf32>) outs(%least : tensor<Bxf32>) dimensions = [1]
    %mb = linalg.broadcast ins(%m : tensor<Bxf32>) outs(%eo : tensor<BxLxf32>) dimensions = [1]
    %under = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%o, %mb : tensor<BxLxf32>, tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>) -> tensor<BxLxf32>
    %e = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%under : tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>) -> tensor<BxLxf32>
    %zs = arith.constant dense<0.0> : tensor<Bxf32>
    %s = linalg.reduce {arith.addf} ins(%e : tensor<BxLxf32>) outs(%zs : tensor<Bxf32>) dimensions = [1]
    %sb = linalg.broadcast ins(%s : tensor<Bxf32>) outs(%eo : tensor<BxLxf32>) dimensions = [1]
    %chance = linalg.map {arith.divf} ins(%e, %sb : tensor<BxLxf32>, tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>)
    %do = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%chance, %y : tensor<BxLxf32>, tensor<BxLxf32>) outs(%eo : tensor<BxLxf32>) -> tensor<BxLxf32>
    %et = tensor.empty() : tensor<LxHxf32>
    %w2t = linalg.transpose ins(%w2 : tensor<HxLxf32>) outs(%et : tensor<LxHxf32>) permutation = [1, 0]
    %dr = linalg.matmul ins(%do, %w2t : tensor<BxLxf32>, tensor<LxHxf32>) outs(%zh : tensor<BxHxf32>) -> tensor<BxHxf32>
    %dh = linalg.map ins(%h, %dr : tensor<BxHxf32>, tensor<BxHxf32>) outs(%eh : tensor<BxHxf32>) (%u: f32, %v: f32) {
      %on = arith.cmpf ogt, %u, %zero : f32
      %d = arith.select %on, %v, %zero : f32
      linalg.yield %d : f32
    }
    %eht = tensor.empty() : tensor<HxBxf32>
    %ht = linalg.transpose ins(%h : tensor<BxHxf32>) outs(%eht : tensor<HxBxf32>) permutation = [1, 0]
    %z2 = arith.constant dense<0.0> : tensor<HxLxf32>
    %dw2 = linalg.matmul ins(%ht, %do : tensor<HxBxf32>, tensor<BxLxf32>) outs(%z2 : tensor<HxLxf32>) -> tensor<HxLxf32>
    %zb2 = arith.constant dense<0.0> : tensor<Lxf32>
    %db2 = linalg.reduce {arith.addf} ins(%do : tensor<BxLxf32>) outs(%zb2 : tensor<Lxf32>) dimensions = [0]
    %eft = tensor.empty() : tensor<IxBxf32>
    %ft = linalg.transpose ins(%f : tensor<BxIxf32>) outs(%eft : tensor<IxBxf32>) permutation = [1, 0]
    %z1 = arith.constant dense<0.0> : tensor<IxHxf32>
    %dw1 = linalg.matmul ins(%ft, %dh : tensor<IxBxf32>, tensor<BxHxf32>) outs(%z1 : tensor<IxHxf32>) -> tensor<IxHxf32>
    %zb1 = arith.constant dense<0.0> : tensor<Hxf32>
    %db1 = linalg.reduce {arith.addf} ins(%dh : tensor<BxHxf32>) outs(%zb1 : tensor<Hxf32>) dimensions = [0]
// the step
    %ev = tensor.empty() : tensor<Vxf32>
    %fdw1 = tensor.collapse_shape %dw1 [[0, 1]] : tensor<IxHxf32> into tensor<Wxf32>
    %g1 = tensor.insert_slice %fdw1 into %ev[0] [W] [1] : tensor<Wxf32> into tensor<Vxf32>
    %g2 = tensor.insert_slice %db1 into %g1[W] [H] [1] : tensor<Hxf32> into tensor<Vxf32>
    %fdw2 = tensor.collapse_shape %dw2 [[0, 1]] : tensor<HxLxf32> into tensor<Uxf32>
    %g3 = tensor.insert_slice %fdw2 into %g2[P] [U] [1] : tensor<Uxf32> into tensor<Vxf32>
    %g = tensor.insert_slice %db2 into %g3[Q] [L] [1] : tensor<Lxf32> into tensor<Vxf32>
    %rate = arith.constant dense<R> : tensor<Vxf32>
    %part = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%g, %rate : tensor<Vxf32>, tensor<Vxf32>) outs(%ev : tensor<Vxf32>) -> tensor<Vxf32>
    %q = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%p, %part : tensor<Vxf32>, tensor<Vxf32>) outs(%ev : tensor<Vxf32>) -> tensor<Vxf32>
    return %q : tensor<Vxf32>
  }
}
