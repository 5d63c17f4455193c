-- swap.sql - five made keys of known meaning, in the schema of the published databases:
-- id 1 forward; 2, 3 backward data, stride 2 and 1; 4, 5 backward weights, 3x3, stride 1 and 2
CREATE TABLE `config` (`id` INTEGER PRIMARY KEY ASC, `layout` TEXT NOT NULL,
  `data_type` TEXT NOT NULL, `direction` TEXT NOT NULL, `spatial_dim` INT NOT NULL,
  `in_channels` INT NOT NULL, `in_h` INT NOT NULL, `in_w` INT NOT NULL, `in_d` INT NOT NULL,
  `fil_h` INT NOT NULL, `fil_w` INT NOT NULL, `fil_d` INT NOT NULL, `out_channels` INT NOT NULL,
  `batchsize` INT NOT NULL, `pad_h` INT NOT NULL, `pad_w` INT NOT NULL, `pad_d` INT NOT NULL,
  `conv_stride_h` INT NOT NULL, `conv_stride_w` INT NOT NULL, `conv_stride_d` INT NOT NULL,
  `dilation_h` INT NOT NULL, `dilation_w` INT NOT NULL, `dilation_d` INT NOT NULL,
  `bias` INT NOT NULL, `group_count` INT NOT NULL);
CREATE TABLE `perf_db` (`id` INTEGER PRIMARY KEY ASC, `solver` TEXT NOT NULL,
  `config` INTEGER NOT NULL, `params` TEXT NOT NULL);

INSERT INTO config VALUES
(1,'NCHW','FP32','F',2,64,27,28,1,1,1,1,256,8,0,0,0,2,2,0,1,1,0,0,1),
(2,'NCHW','FP32','B',2,64,14,15,1,1,1,1,256,8,0,0,0,2,2,0,1,1,0,0,1),
(3,'NCHW','FP16','B',2,64,14,15,1,1,1,1,256,8,0,0,0,1,1,0,1,1,0,0,1),
(4,'NCHW','FP32','W',2,64,14,15,1,3,3,1,256,8,1,1,0,1,1,0,1,1,0,0,32),
(5,'NCHW','FP32','W',2,64,14,15,1,3,3,1,256,8,1,1,0,2,2,0,1,1,0,0,1);

INSERT INTO perf_db VALUES
(1,'ConvAsm1x1U',1,'1,16,1,64,1,1,1,1'),
(2,'ConvAsm1x1U',2,'1,16,1,64,1,1,1,1'),
(3,'ConvAsm1x1U',3,'1,16,2,64,1,2,1,1'),
(4,'ConvAsmBwdWrW3x3',4,'0,0,8,1,1,1'),
(5,'ConvAsmBwdWrW3x3',5,'0,0,8,1,1,1');
