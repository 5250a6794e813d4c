/** With which lines runtimes begin to tell of an error that nobody caught, and that ends their process. */
type Uncaught = {
	/** as readers know it */
	product: string;
	/** of the line when its figures are `#` and what is quoted is hidden (lab/diagnose/waiting/logs.ts) */
	pattern: RegExp;
	/** it says where, and the line after it what */
	isHead?: boolean;
	/** as the runtime writes it, for the tests */
	line: string;
	/** where the words stand: repository and file */
	source: string;
};

export const uncaught: Uncaught[] = [
	{
		product: 'Go',
		pattern: /^(?:panic|fatal error): \S/,
		line: 'panic: runtime error: invalid memory address or nil pointer dereference',
		source: 'golang/go src/runtime/panic.go (printpanics, fatalthrow)',
	},
	{
		product: 'JVM',
		pattern: /^Exception in thread\b/,
		line: 'Exception in thread "main" java.lang.IllegalStateException: no voucher',
		source: 'openjdk/jdk src/java.base/share/classes/java/lang/ThreadGroup.java (uncaughtException)',
	},
	{
		product: '.NET',
		pattern: /^Unhandled exception\b/i,
		line: 'Unhandled exception. System.InvalidOperationException: Sequence contains no elements',
		source: 'dotnet/runtime src/coreclr/vm/excep.cpp (DefaultCatchHandler)',
	},
	{
		product: 'PHP',
		pattern: /^(?:PHP )?Fatal error:\s+\S/,
		line: 'PHP Fatal error:  Uncaught TypeError: percent(): Argument #1 must be of type array, null given in /app/worker.php:7',
		source: 'php/php-src main/main.c (php_error_cb), Zend/zend_exceptions.c (zend_exception_error)',
	},
	{
		product: 'Ruby',
		pattern: /:in [`'"].*\((?:\w+::)*[A-Z]\w*\)$/,
		line: "app.rb:12:in `percent_of': undefined method `percent' for nil:NilClass (NoMethodError)",
		source: 'ruby/ruby eval_error.c (rb_error_write)',
	},
	{
		product: 'Rust',
		pattern: /^thread .* panicked at\b/,
		isHead: true,
		line: "thread 'main' panicked at src/main.rs:12:5:",
		source: 'rust-lang/rust library/std/src/panicking.rs (default_hook)',
	},
	{
		product: 'C++',
		pattern: /^terminate called\b/,
		line: "terminate called after throwing an instance of 'std::runtime_error'",
		source: 'gcc-mirror/gcc libstdc++-v3/libsupc++/vterminate.cc',
	},
	{
		product: 'Node.js',
		pattern: /^(?:Uncaught\b|\[UnhandledPromiseRejection: |FATAL ERROR: )/,
		line: '[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block',
		source: 'nodejs/node lib/internal/process/promises.js, src/node_errors.cc (OnFatalError)',
	},
	{
		product: 'Erlang VM',
		pattern: /^\{?"?(?:init terminating|Kernel pid terminated)\b/,
		line: 'Kernel pid terminated (application_controller) ({application_start_failure,shop,{bad_return,{{shop,start,[]}}}})',
		source: 'erlang/otp erts/preloaded/src/init.erl',
	},
];

/** @param text of a line, as it is shown */
export const uncaughtIn = (text: string): Uncaught | null => uncaught.find(({ pattern }) => pattern.test(text)) ?? null;
