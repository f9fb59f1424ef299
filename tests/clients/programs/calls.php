<?php
/* Five calls: the caller, a glossary made, read and deleted, built-in voices. */
foreach (['Psr/Http/Message', 'Psr/Http/Client', 'GuzzleHttp/Promise', 'GuzzleHttp/Psr7', 'GuzzleHttp'] as $part)
	if (file_exists("/usr/share/php/$part/autoload.php"))
		require_once "/usr/share/php/$part/autoload.php";
spl_autoload_register(function ($class) {
	if (strncmp($class, 'Dragoman\\', 9) == 0)
		require_once getenv('CLIENT') . '/' . str_replace('\\', '/', substr($class, 9)) . '.php';
});

$conf = (new Dragoman\Configuration())->setHost(getenv('BASE_URL'))->setAccessToken(getenv('API_KEY'));
$http = new GuzzleHttp\Client();
$glossaries = new Dragoman\Api\GlossariesApi($http, $conf);

(new Dragoman\Api\KeysApi($http, $conf))->getCaller();
$made = $glossaries->createGlossary(new Dragoman\Model\CreateGlossaryRequest(['data' =>
	new Dragoman\Model\CreateGlossaryRequestData(['name' => 'PHP terms', 'glossary_type' => 'translation',
		'source_lang' => 'en', 'target_lang' => 'es'])]));
$id = $made->getData()->getGlossaryId();
if ($glossaries->getGlossary($id)->getData()->getName() !== 'PHP terms')
	exit(1);
(new Dragoman\Api\VoicesApi($http, $conf))->listBuiltinVoices();
$glossaries->deleteGlossary($id);
