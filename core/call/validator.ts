export {
  type CompiledValidator,
  compileValidator,
  type Validator,
  type ValidatorOptions,
} from '../schema/validator.ts';
